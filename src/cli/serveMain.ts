/** The bundle of `recollect serve`, which reads the MCP SDK. */
export { serveHttp } from '../http/serve.js';
export { defaultMcpTools } from '../operations/registry.js';
