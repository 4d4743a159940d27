;;; Drives whole tasks in a batch Emacs by eglot, without a line of code about the agent but this.  -*- lexical-binding: t -*-

(setq native-comp-enable-subr-trampolines nil comp-enable-subr-trampolines nil)
(require 'eglot)
(require 'json)
(require 'seq)
(setq eglot-sync-connect 60 jsonrpc-default-request-timeout 60
      eglot-autoshutdown nil eglot-confirm-server-edits nil make-backup-files nil)
(add-to-list 'eglot-server-programs '(text-mode . ("agent-lsp" "--stdio")))

(defvar agent-said nil "What the server said by window/showMessage, the newest first.")
(defvar agent-asked nil "What pop-ups there were, the newest first. Each is closed by its harmless button.")
(advice-add 'completing-read :override
            (lambda (prompt choices &rest _) (push prompt agent-asked) (car (ensure-list (car choices)))))

(cl-defmethod eglot-handle-notification :before (_server (_method (eql window/showMessage)) &key message &allow-other-keys)
  (push message agent-said))

(defun agent (command &rest arguments)
  "Run COMMAND, as a user does by a key of theirs."
  (eglot-execute (eglot-current-server) (list :command command :arguments (vconcat arguments))))

(defun agent-until (holds wanted)
  "Read what the server says until HOLDS; WANTED is for the message of a test that failed."
  (let ((deadline (+ (float-time) 60)))
    (while (not (funcall holds))
      (when (> (float-time) deadline) (error "Never came: %s; said were %S" wanted agent-said))
      (accept-process-output nil 0.2))))

(defun agent-until-said (text)
  (agent-until (lambda () (seq-some (lambda (said) (string-search text said)) agent-said)) text))

(defun agent-until-asked (&optional about)
  "Wait for a pop-up, or for the one that is ABOUT something."
  (agent-until (lambda () (seq-some (lambda (asked) (string-search (or about "") asked)) agent-asked)) (or about "an ask")))

(defun agent-actions ()
  "The titles of the code actions here."
  (mapcar (lambda (action) (plist-get action :title)) (eglot-code-actions (point-min) (point-max))))

(defun agent-choose (title)
  "Do what the code action TITLE at point does."
  (let ((found (seq-find (lambda (action) (equal (plist-get action :title) title)) (eglot-code-actions (point) (point)))))
    (unless found (error "There is no %s among %S" title (eglot-code-actions (point) (point))))
    (eglot-execute (eglot-current-server) found)))

(defun agent-until-file (name)
  "Wait until the test makes a file called NAME beside this one."
  (agent-until (lambda () (file-exists-p name)) name))

(defun agent-restart ()
  "Kill the server, and start another one."
  (let ((server (eglot-current-server)))
    (signal-process (jsonrpc--process server) 'KILL)
    (agent-until (lambda () (not (jsonrpc-running-p server))) "the end of the server"))
  (setq agent-said nil agent-asked nil)
  (apply #'eglot--connect (eglot--guess-contact)))

(defun agent-open (file)
  (find-file file)
  (text-mode)
  (apply #'eglot--connect (eglot--guess-contact)))

(defun agent-report (&rest facts)
  "Print FACTS, for the test to read."
  (princ (json-encode facts))
  (terpri))
