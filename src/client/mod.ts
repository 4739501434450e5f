// How programs on the master's machine have jobs done: publish, and gather what comes back.

export { ClientError } from './errors.ts'
export { type CollectOptions, type Gathered, LocalClient, type Published, type PublishRequest } from './local-client.ts'
export { localKey } from './local-key.ts'
