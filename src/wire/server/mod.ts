export type { AuthPolicy } from './auth.ts'
export { type AuthAct, type AuthDecision, type AuthQuestion, decideAuth } from './auth-decision.ts'
export { type IdentityOptions, type MasterIdentity, masterIdentity } from './identity.ts'
export { type KeyState, type KeyStore, MemoryKeyStore, type StoredKey } from './key-store.ts'
export {
  PublishChannel,
  type PublishChannelOptions,
  type SealedPublication,
  subscriberIdentity,
} from './publish-channel.ts'
export { PublishSecret } from './publish-secret.ts'
export {
  LentAnswer,
  NotTakenError,
  PrivateAnswer,
  RequestChannel,
  type RequestChannelOptions,
  type RequestHandlers,
  type Sender,
} from './request-channel.ts'
export { type SessionKeyOptions, SessionKeys } from './session-keys.ts'
export { TokenChecks } from './tokens.ts'
