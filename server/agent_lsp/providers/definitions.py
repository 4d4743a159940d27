"""The types of provider there are. Each is one object in the table; nothing elsewhere asks for a type's name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from agent_lsp.providers import services, windows
from agent_lsp.providers.clouds import build_bedrock, build_vertex
from agent_lsp.providers.listing import ModelList
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.replay import ReplayModel
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.transport import is_loopback
from agent_lsp.settings.model import Prices, Profile

NO_KEY = "none"
"""What a server that wants no key is sent."""

_Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ProviderType:
    """A kind of provider: what a profile of it must say, what need not be said, and how a model is made of it.

    `build` is given a profile that is completed, whose references are resolved, and whose needed fields are there.
    """

    name: str
    title: str
    build: Callable[[Profile, Secrets], Streaming]
    needs: tuple[str, ...] = ("model", "api_key")
    aliases: tuple[str, ...] = ()
    base_url: str | None = None
    key_variable: str | None = None
    """Where the environment has the key by custom."""
    models: tuple[str, ...] = ()
    """Suggestions, for want of a list from the service."""
    steps: tuple[str, ...] = ()
    """What the user has to do elsewhere first, a sentence each."""
    model_list: ModelList | None = None
    """The probe: where the service tells the models it has."""
    variables: tuple[tuple[str, str], ...] = ()
    """Further fields, and where the environment has them by custom; the first one that is set counts."""
    address_variable: str | None = None
    """Where the environment says at which address it listens, by the program's own custom."""
    is_anywhere: bool = False
    """Many others than the vendor offer the same, so that its address is asked for."""
    is_looked_for: bool = False
    """Where nothing is set up, it is tried whether it runs on this machine."""
    window_sources: tuple[windows.WindowSource, ...] = ()
    """Where it says how much fits into a request, where the profile does not."""
    has_tools: bool = False
    """All its models take tools by the service's own means, and nobody has to look for calls in what they say."""

    def completed(self, profile: Profile, environment: _Environment) -> Profile:
        """Give the profile what it need not say. A key of the environment goes to the vendor's own address alone."""
        defaults: dict[str, object] = {}
        base_url = profile.base_url or self.address(environment)
        if profile.base_url is None:
            defaults["base_url"] = base_url
        for field, variable in self.variables:
            if not getattr(profile, field) and field not in defaults and (value := environment.get(variable)):
                defaults[field] = value
        if profile.api_key is None:
            defaults["api_key"] = self._customary_key(profile, environment)
        if profile.prices is None and self.is_local and is_loopback(base_url or ""):
            defaults["prices"] = Prices(input=0.0, output=0.0)
        return profile.model_copy(update=defaults)

    def takes_tools(self, profile: Profile) -> bool:
        """Whether it is known that the profile's model takes tools."""
        return self.has_tools or (self.is_anywhere and profile.base_url == self.base_url)

    @property
    def is_local(self) -> bool:
        """Whether it runs on the user's own machine, without key or bill, unless the profile says otherwise."""
        return self.base_url is not None and is_loopback(self.base_url)

    def address(self, environment: _Environment) -> str | None:
        """The base URL of a profile that has none."""
        named = environment.get(self.address_variable or "", "").strip()
        return _address_named(named, self.base_url) if named and self.base_url else self.base_url

    def _customary_key(self, profile: Profile, environment: _Environment) -> str | None:
        if self.is_local:
            return NO_KEY
        is_own = profile.base_url is None and self.key_variable is not None
        return environment.get(self.key_variable or "", "").strip() or None if is_own else None


def type_named(name: str) -> ProviderType | None:
    return next((known for known in TYPES if name in (known.name, *known.aliases)), None)


def key_variables() -> tuple[str, ...]:
    """The variables of the environment in which keys are by custom."""
    return tuple(dict.fromkeys(known.key_variable for known in TYPES if known.key_variable))


def _address_named(named: str, default: str) -> str:
    """Make a base URL of `host`, `host:port`, `:port` or a URL, as programs take it that listen themselves."""
    usual = urlsplit(default)
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        port = parts.port or usual.port
    except ValueError:
        return default
    # Who listens everywhere listens here, too.
    host = usual.hostname if parts.hostname in (None, "0.0.0.0", "::") else parts.hostname  # noqa: S104 - not bound to
    shown = f"[{host}]" if host and ":" in host else host
    return f"{parts.scheme}://{shown}:{port}{usual.path}"


def _build_replay(profile: Profile, _: Secrets) -> Streaming:
    return ReplayModel(Path(profile.file or "").expanduser(), is_exact=profile.exact)


_OPENAI_LIST = ModelList("/models", services.bearer)


def _compatible(
    name: str, title: str, base_url: str, key_variable: str, models: tuple[str, ...], keys: str
) -> ProviderType:
    """A vendor who speaks the Chat Completions API at an address of its own."""
    return ProviderType(
        name,
        title,
        services.compatible(name).build,
        base_url=base_url,
        key_variable=key_variable,
        models=models,
        steps=(f"Make a key at {keys}.",),
        model_list=_OPENAI_LIST,
    )


def _local(
    name: str, title: str, base_url: str, step: str, window_sources: tuple[windows.WindowSource, ...]
) -> ProviderType:
    """A program that speaks the Chat Completions API on this machine."""
    return ProviderType(
        name,
        title,
        services.compatible(name).build,
        base_url=base_url,
        steps=(step,),
        model_list=_OPENAI_LIST,
        window_sources=window_sources,
    )


TYPES = (
    ProviderType(
        "anthropic",
        "Anthropic",
        services.ANTHROPIC.build,
        base_url=services.ANTHROPIC_URL,
        key_variable="ANTHROPIC_API_KEY",
        models=("claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"),
        steps=("Make a key at https://platform.claude.com/settings/keys.",),
        model_list=ModelList("/v1/models?limit=1000", services.anthropic_signing),
        has_tools=True,
    ),
    ProviderType(
        "openai-responses",
        "OpenAI",
        services.RESPONSES.build,
        base_url=services.OPENAI_URL,
        key_variable="OPENAI_API_KEY",
        models=("gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-luna"),
        steps=("Make a key at https://platform.openai.com/api-keys.",),
        model_list=_OPENAI_LIST,
        has_tools=True,
    ),
    ProviderType(
        "openai",
        "OpenAI's Chat Completions API, also of any compatible server",
        services.CHAT.build,
        aliases=("openai-compatible",),
        is_anywhere=True,
        base_url=services.OPENAI_URL,
        key_variable="OPENAI_API_KEY",
        models=("gpt-4.1", "gpt-5.4-mini"),
        steps=("Make a key where the server's keys are made; one that wants none takes `none`.",),
        model_list=_OPENAI_LIST,
    ),
    ProviderType(
        "azure",
        "Azure OpenAI",
        services.AZURE.build,
        needs=("base_url", "model", "api_key"),
        aliases=("azure-openai",),
        key_variable="AZURE_OPENAI_API_KEY",
        steps=(
            "Deploy a model in the Azure portal: the name of the deployment is the model.",
            "The base URL is https://RESOURCE.openai.azure.com/openai/v1, with the name of your resource.",
            "Of an older version it is …/openai/deployments/DEPLOYMENT?api-version=VERSION.",
        ),
        has_tools=True,
    ),
    ProviderType(
        "azure-responses",
        "Azure OpenAI, by its Responses API",
        services.AZURE_RESPONSES.build,
        needs=("base_url", "model", "api_key"),
        key_variable="AZURE_OPENAI_API_KEY",
        steps=(
            "Deploy a model in the Azure portal: the name of the deployment is the model.",
            "The base URL is https://RESOURCE.openai.azure.com/openai/v1, with the name of your resource.",
        ),
        has_tools=True,
    ),
    ProviderType(
        "anthropic-bedrock",
        "Claude on Amazon Bedrock",
        build_bedrock,
        needs=("model", "region"),
        aliases=("bedrock",),
        key_variable="AWS_BEARER_TOKEN_BEDROCK",
        variables=(("region", "AWS_REGION"), ("region", "AWS_DEFAULT_REGION")),
        models=("anthropic.claude-sonnet-5-5", "anthropic.claude-opus-5-5"),
        steps=(
            "Ask for access to the model in the Bedrock console, and set `region` or AWS_REGION.",
            "Make a Bedrock key; without one, the AWS credentials of this machine are used, by the package boto3.",
        ),
        has_tools=True,
    ),
    ProviderType(
        "anthropic-vertex",
        "Claude on Google Vertex AI",
        build_vertex,
        needs=("model", "project", "region"),
        aliases=("vertex",),
        variables=(
            ("project", "ANTHROPIC_VERTEX_PROJECT_ID"),
            ("project", "GOOGLE_CLOUD_PROJECT"),
            ("region", "CLOUD_ML_REGION"),
        ),
        models=("claude-sonnet-5-5", "claude-opus-5-5"),
        steps=(
            "Enable the model in the Model Garden, and set `project`, and `region` (or `global`).",
            "Sign in by `gcloud auth application-default login`; the package google-auth reads that.",
        ),
        has_tools=True,
    ),
    _compatible(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        ("anthropic/claude-sonnet-4.5",),
        "https://openrouter.ai/settings/keys",
    ),
    replace(
        _compatible(
            "gemini",
            "Google Gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "GEMINI_API_KEY",
            ("gemini-2.5-pro", "gemini-2.5-flash"),
            "https://aistudio.google.com/apikey",
        ),
        aliases=("google",),
    ),
    _compatible(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
        ("deepseek-chat", "deepseek-reasoner"),
        "https://platform.deepseek.com/api_keys",
    ),
    _compatible(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        ("devstral-medium-latest", "mistral-large-latest"),
        "https://console.mistral.ai/api-keys",
    ),
    _compatible(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        ("openai/gpt-oss-120b",),
        "https://console.groq.com/keys",
    ),
    _compatible("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY", ("grok-4",), "https://console.x.ai"),
    replace(
        _compatible(
            "qwen",
            "Qwen, by Alibaba Cloud",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "DASHSCOPE_API_KEY",
            ("qwen3-coder-plus",),
            "https://modelstudio.console.alibabacloud.com",
        ),
        aliases=("dashscope",),
    ),
    replace(
        _local(
            "ollama",
            "Ollama",
            "http://127.0.0.1:11434/v1",
            "Install https://ollama.com and pull a model.",
            windows.OLLAMA,
        ),
        model_list=ModelList("/api/tags", services.bearer, is_beside_v1=True),
        address_variable="OLLAMA_HOST",
        is_looked_for=True,
    ),
    replace(
        _local(
            "lm-studio",
            "LM Studio",
            "http://127.0.0.1:1234/v1",
            "Load a model and start its server.",
            windows.LM_STUDIO,
        ),
        aliases=("lmstudio",),
        is_looked_for=True,
    ),
    replace(
        _local(
            "llama.cpp",
            "llama.cpp",
            "http://127.0.0.1:8080/v1",
            "Start `llama-server --jinja -m MODEL.gguf`.",
            windows.LLAMA_CPP,
        ),
        aliases=("llama-cpp", "llamacpp"),
    ),
    _local(
        "vllm",
        "vLLM",
        "http://127.0.0.1:8000/v1",
        "Start `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER`.",
        windows.VLLM,
    ),
    ProviderType("replay", "A recording", _build_replay, needs=("file",), has_tools=True),
)
