; Markdown as the view shows it. Unlike Neovim's own query it hides no whole lines: after each change of the text those
; are looked for from the top, which takes longer the longer the task is.

(setext_heading (paragraph) @markup.heading.1 (setext_h1_underline) @markup.heading.1)
(setext_heading (paragraph) @markup.heading.2 (setext_h2_underline) @markup.heading.2)
(atx_heading (atx_h1_marker)) @markup.heading.1
(atx_heading (atx_h2_marker)) @markup.heading.2
(atx_heading (atx_h3_marker)) @markup.heading.3
(atx_heading (atx_h4_marker)) @markup.heading.4
(atx_heading (atx_h5_marker)) @markup.heading.5
(atx_heading (atx_h6_marker)) @markup.heading.6

([
  (atx_h1_marker)
  (atx_h2_marker)
  (atx_h3_marker)
  (atx_h4_marker)
  (atx_h5_marker)
  (atx_h6_marker)
] @conceal (#offset! @conceal 0 0 0 1) (#set! conceal ""))

(pipe_table_header (pipe_table_cell) @markup.heading)
(pipe_table_header "|" @punctuation.special)
(pipe_table_row "|" @punctuation.special)
(pipe_table_delimiter_row "|" @punctuation.special)
(pipe_table_delimiter_cell) @punctuation.special

(indented_code_block) @markup.raw.block
((fenced_code_block_delimiter) @conceal (#set! conceal ""))
((info_string) @label (#set! conceal ""))

[
  (list_marker_plus)
  (list_marker_minus)
  (list_marker_star)
  (list_marker_dot)
  (list_marker_parenthesis)
] @markup.list
(task_list_marker_unchecked) @markup.list.unchecked
(task_list_marker_checked) @markup.list.checked

((block_quote) @markup.quote (#set! priority 90))
(block_quote_marker) @punctuation.special
(thematic_break) @punctuation.special
(link_destination) @markup.link.url
[ (link_title) (link_label) ] @markup.link.label
