//! The model providers that are known by name: pure data.
//!
//! The ids are keys in people's `auth.json` and `config.yaml`, and the variables are
//! what their shells export, so an entry is only ever added or given an alias.

/// How a provider lets a caller in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// An API key.
    Key,
    /// An API key if its operator wants one: a server on one's own machine.
    OptionalKey,
    /// Only a login in the browser, whose state `auth.json` keeps.
    Login,
}

/// One provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    pub id: &'static str,
    pub name: &'static str,
    /// Other ids that mean the same.
    pub aliases: &'static [&'static str],
    pub access: Access,
    /// Variables that may hold its key; the first one that is set counts.
    pub key_variables: &'static [&'static str],
    /// Where its API is, if that is the same for everybody.
    pub base_url: Option<&'static str>,
    /// The variable that overrides where its API is.
    pub base_url_variable: Option<&'static str>,
}

impl Provider {
    const fn new(id: &'static str, name: &'static str, base_url: &'static str) -> Self {
        let (access, base_url) = (Access::Key, Some(base_url));
        Self { id, name, aliases: &[], access, key_variables: &[], base_url, base_url_variable: None }
    }

    const fn keys(self, key_variables: &'static [&'static str]) -> Self {
        Self { key_variables, ..self }
    }

    const fn base(self, variable: &'static str) -> Self {
        Self { base_url_variable: Some(variable), ..self }
    }

    const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    const fn anywhere(self) -> Self {
        Self { base_url: None, ..self }
    }

    /// Whether this id or one of its aliases is meant.
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.aliases.contains(&id)
    }
}

/// All known providers, in the order in which lists show them.
pub const PROVIDERS: &[Provider] = &[
    Provider::new("openrouter", "OpenRouter", "https://openrouter.ai/api/v1")
        .keys(&["OPENROUTER_API_KEY"])
        .base("OPENROUTER_BASE_URL")
        .aliases(&["or", "open-router"]),
    Provider::new("nous", "Nous Portal", "https://inference-api.nousresearch.com/v1")
        .keys(&["NOUS_API_KEY"])
        .base("NOUS_INFERENCE_BASE_URL")
        .aliases(&["nous-api", "nousresearch"]),
    Provider::new("anthropic", "Anthropic", "https://api.anthropic.com")
        .keys(&["ANTHROPIC_API_KEY", "ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"])
        .base("ANTHROPIC_BASE_URL")
        .aliases(&["claude"]),
    Provider::new("openai", "OpenAI", "https://api.openai.com/v1")
        .keys(&["OPENAI_API_KEY"])
        .base("OPENAI_BASE_URL")
        .aliases(&["openai-api"]),
    Provider::new("openai-codex", "OpenAI Codex", "https://chatgpt.com/backend-api/codex")
        .access(Access::Login)
        .aliases(&["codex"]),
    Provider::new("gemini", "Google AI Studio", "https://generativelanguage.googleapis.com/v1beta")
        .keys(&["GOOGLE_API_KEY", "GEMINI_API_KEY"])
        .base("GEMINI_BASE_URL")
        .aliases(&["google", "google-gemini"]),
    Provider::new("copilot", "GitHub Copilot", "https://api.githubcopilot.com")
        .keys(&["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"])
        .base("COPILOT_API_BASE_URL")
        .aliases(&["github", "github-copilot"]),
    Provider::new("deepseek", "DeepSeek", "https://api.deepseek.com/v1")
        .keys(&["DEEPSEEK_API_KEY"])
        .base("DEEPSEEK_BASE_URL"),
    Provider::new("mistral", "Mistral AI", "https://api.mistral.ai/v1")
        .keys(&["MISTRAL_API_KEY"])
        .base("MISTRAL_BASE_URL"),
    Provider::new("groq", "Groq", "https://api.groq.com/openai/v1").keys(&["GROQ_API_KEY"]).base("GROQ_BASE_URL"),
    Provider::new("together", "Together AI", "https://api.together.xyz/v1")
        .keys(&["TOGETHER_API_KEY"])
        .base("TOGETHER_BASE_URL")
        .aliases(&["together-ai"]),
    Provider::new("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1")
        .keys(&["FIREWORKS_API_KEY"])
        .base("FIREWORKS_BASE_URL")
        .aliases(&["fireworks-ai"]),
    Provider::new("perplexity", "Perplexity", "https://api.perplexity.ai")
        .keys(&["PERPLEXITY_API_KEY"])
        .base("PERPLEXITY_BASE_URL"),
    Provider::new("cohere", "Cohere", "https://api.cohere.ai/compatibility/v1")
        .keys(&["COHERE_API_KEY"])
        .base("COHERE_BASE_URL"),
    Provider::new("xai", "xAI", "https://api.x.ai/v1")
        .keys(&["XAI_API_KEY"])
        .base("XAI_BASE_URL")
        .aliases(&["grok", "x-ai"]),
    Provider::new("xai-oauth", "xAI (login)", "https://api.x.ai/v1").access(Access::Login).aliases(&[
        "grok-oauth",
        "x-ai-oauth",
        "xai-grok-oauth",
    ]),
    Provider::new("zai", "Z.AI / GLM", "https://api.z.ai/api/paas/v4")
        .keys(&["GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"])
        .base("GLM_BASE_URL")
        .aliases(&["glm", "z-ai", "zhipu"]),
    Provider::new("kimi-coding", "Kimi / Moonshot", "https://api.moonshot.ai/v1")
        .keys(&["KIMI_API_KEY", "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY"])
        .base("KIMI_BASE_URL")
        .aliases(&["kimi", "moonshot"]),
    Provider::new("kimi-coding-cn", "Kimi / Moonshot (China)", "https://api.moonshot.cn/v1")
        .keys(&["KIMI_CN_API_KEY"])
        .aliases(&["kimi-cn", "moonshot-cn"]),
    Provider::new("minimax", "MiniMax", "https://api.minimax.io/anthropic")
        .keys(&["MINIMAX_API_KEY"])
        .base("MINIMAX_BASE_URL"),
    Provider::new("minimax-cn", "MiniMax (China)", "https://api.minimaxi.com/anthropic")
        .keys(&["MINIMAX_CN_API_KEY"])
        .base("MINIMAX_CN_BASE_URL"),
    Provider::new("minimax-oauth", "MiniMax (login)", "https://api.minimax.io/anthropic").access(Access::Login),
    Provider::new("alibaba", "Qwen Cloud", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1")
        .keys(&["DASHSCOPE_API_KEY"])
        .base("DASHSCOPE_BASE_URL")
        .aliases(&["dashscope", "qwen"]),
    Provider::new("alibaba-coding-plan", "Alibaba Coding Plan", "https://coding-intl.dashscope.aliyuncs.com/v1")
        .keys(&["ALIBABA_CODING_PLAN_API_KEY"])
        .base("ALIBABA_CODING_PLAN_BASE_URL"),
    Provider::new("qwen-oauth", "Qwen (login)", "https://portal.qwen.ai/v1").access(Access::Login),
    Provider::new("huggingface", "Hugging Face", "https://router.huggingface.co/v1")
        .keys(&["HF_TOKEN"])
        .base("HF_BASE_URL")
        .aliases(&["hf", "hugging-face"]),
    Provider::new("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1")
        .keys(&["NVIDIA_API_KEY"])
        .base("NVIDIA_BASE_URL"),
    Provider::new("ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1")
        .keys(&["AI_GATEWAY_API_KEY"])
        .base("AI_GATEWAY_BASE_URL"),
    Provider::new("opencode-zen", "OpenCode Zen", "https://opencode.ai/zen/v1")
        .keys(&["OPENCODE_ZEN_API_KEY"])
        .base("OPENCODE_ZEN_BASE_URL"),
    Provider::new("opencode-go", "OpenCode Go", "https://opencode.ai/zen/go/v1")
        .keys(&["OPENCODE_GO_API_KEY"])
        .base("OPENCODE_GO_BASE_URL"),
    Provider::new("kilocode", "Kilo Code", "https://api.kilo.ai/api/gateway")
        .keys(&["KILOCODE_API_KEY"])
        .base("KILOCODE_BASE_URL"),
    Provider::new("stepfun", "StepFun", "https://api.stepfun.ai/step_plan/v1")
        .keys(&["STEPFUN_API_KEY"])
        .base("STEPFUN_BASE_URL"),
    Provider::new("arcee", "Arcee AI", "https://api.arcee.ai/api/v1").keys(&["ARCEEAI_API_KEY"]).base("ARCEE_BASE_URL"),
    Provider::new("xiaomi", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1")
        .keys(&["XIAOMI_API_KEY"])
        .base("XIAOMI_BASE_URL"),
    Provider::new("bedrock", "AWS Bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com")
        .keys(&["AWS_BEARER_TOKEN_BEDROCK"])
        .base("BEDROCK_BASE_URL"),
    Provider::new("azure-foundry", "Azure Foundry", "")
        .keys(&["AZURE_FOUNDRY_API_KEY"])
        .base("AZURE_FOUNDRY_BASE_URL")
        .anywhere(),
    Provider::new("ollama-cloud", "Ollama Cloud", "https://ollama.com/v1").keys(&["OLLAMA_API_KEY"]),
    Provider::new("ollama", "Ollama (local)", "http://127.0.0.1:11434/v1")
        .base("OLLAMA_BASE_URL")
        .access(Access::OptionalKey),
    Provider::new("lmstudio", "LM Studio (local)", "http://127.0.0.1:1234/v1")
        .keys(&["LM_API_KEY"])
        .base("LM_BASE_URL")
        .aliases(&["lm-studio"])
        .access(Access::OptionalKey),
    Provider::new("custom", "Any OpenAI-compatible server", "").anywhere().access(Access::OptionalKey),
];

/// The provider with this id or alias.
pub fn find(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.is_called(id))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Access, PROVIDERS, find};
    use crate::credential::is_secret_name;

    #[test]
    fn ids_and_aliases_are_unique_and_lowercase() {
        let mut seen = BTreeSet::new();
        for provider in PROVIDERS {
            for id in std::iter::once(&provider.id).chain(provider.aliases) {
                assert!(seen.insert(*id), "{id}");
                assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
                assert_eq!(find(id), Some(provider));
            }
        }
    }

    #[test]
    fn every_key_variable_is_a_secrets_name_and_no_base_url_is() {
        for provider in PROVIDERS {
            assert!(provider.key_variables.iter().all(|name| is_secret_name(name)), "{provider:?}");
            assert!(!provider.base_url_variable.is_some_and(is_secret_name), "{provider:?}");
            assert!(provider.base_url.is_none_or(|url| url.starts_with("http") && !url.ends_with('/')), "{provider:?}");
            assert_eq!(provider.access == Access::Key, !provider.key_variables.is_empty() && provider.id != "lmstudio");
        }
    }
}
