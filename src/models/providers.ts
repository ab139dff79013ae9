/** Who serves models over the OpenAI-compatible API: addresses, key names, and the model that is asked when none is named. */

export interface Provider {
  name: string;
  /** As people write it. */
  title: string;
  /** Absent: the configuration has to give one (`openai-compatible`), or this version cannot ask it yet. */
  baseURL?: string;
  /** A variable that may hold another base URL. */
  baseURLVariable?: string;
  /** Variables that may hold the key; the first that is set counts. None: no key is needed. */
  keys: readonly string[];
  /** Asked when only the provider is known; absent: a model has to be named. It takes tools on chat completions. */
  model?: string;
  /** A server on this machine, looked for at its usual address. */
  local?: true;
  /** Why this version cannot ask it, and what can be done meanwhile. */
  notYet?: string;
}

/** In the order in which keys found in the environment, and local servers that answer, are taken. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    baseURL: 'https://api.openai.com/v1',
    baseURLVariable: 'OPENAI_BASE_URL',
    keys: ['OPENAI_API_KEY'],
    model: 'gpt-5.2', // newer ones refuse function tools on chat completions
  },
  {
    name: 'anthropic',
    title: 'Anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    notYet: "Anthropic's own API is not spoken yet: reach its models through an OpenAI-compatible endpoint, such as openrouter:NAME",
  },
  { name: 'deepseek', title: 'DeepSeek', baseURL: 'https://api.deepseek.com', keys: ['DEEPSEEK_API_KEY'], model: 'deepseek-v4-pro' },
  { name: 'moonshot', title: 'Moonshot (Kimi)', baseURL: 'https://api.moonshot.cn/v1', keys: ['MOONSHOT_API_KEY'], model: 'kimi-k2.6' },
  {
    name: 'dashscope',
    title: 'DashScope (Qwen)',
    baseURL: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keys: ['DASHSCOPE_API_KEY'],
    model: 'qwen3.8-max',
  },
  {
    name: 'zhipu',
    title: 'Zhipu (GLM)',
    baseURL: 'https://open.bigmodel.cn/api/paas/v4',
    keys: ['ZHIPU_API_KEY', 'BIGMODEL_API_KEY'],
    model: 'glm-5.3',
  },
  { name: 'zai', title: 'Z.ai (GLM)', baseURL: 'https://api.z.ai/api/paas/v4', keys: ['ZAI_API_KEY'], model: 'glm-5.3' },
  {
    name: 'gemini',
    title: 'Gemini',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  { name: 'minimax', title: 'MiniMax', baseURL: 'https://api.minimaxi.com/v1', keys: ['MINIMAX_API_KEY'] },
  {
    name: 'ark',
    title: 'Volcengine Ark',
    baseURL: 'https://ark.cn-beijing.volces.com/api/v3',
    keys: ['ARK_API_KEY', 'VOLCENGINE_API_KEY'],
  },
  {
    name: 'siliconflow',
    title: 'SiliconFlow',
    baseURL: 'https://api.siliconflow.cn/v1',
    keys: ['SILICONFLOW_API_KEY', 'SILICONFLOW_CN_API_KEY'],
  },
  { name: 'openrouter', title: 'OpenRouter', baseURL: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  { name: 'groq', title: 'Groq', baseURL: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  { name: 'xai', title: 'xAI', baseURL: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  { name: 'mistral', title: 'Mistral', baseURL: 'https://api.mistral.ai/v1', keys: ['MISTRAL_API_KEY'] },
  { name: 'ollama', title: 'Ollama', baseURL: 'http://127.0.0.1:11434/v1', keys: [], local: true },
  { name: 'lmstudio', title: 'LM Studio', baseURL: 'http://127.0.0.1:1234/v1', keys: [], local: true },
  { name: 'llamacpp', title: 'llama.cpp', baseURL: 'http://127.0.0.1:8080/v1', keys: [], local: true },
  { name: 'vllm', title: 'vLLM', baseURL: 'http://127.0.0.1:8000/v1', keys: [], local: true },
  { name: 'openai-compatible', title: 'OpenAI-compatible endpoint', keys: [] },
];
