export { type CrossOriginRules, judgeOrigin } from './cross-origin.ts'
export { type CustomHeaders, customHeaders, type ResponseHeaders } from './custom-headers.ts'
export { type ListenerRules, listener, listenerRulesProblem } from './listener.ts'
