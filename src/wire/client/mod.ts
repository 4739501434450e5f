export { ClearClient } from './clear-client.ts'
export { MasterChannel, type MasterChannelOptions, type SendOptions } from './master-channel.ts'
export { MasterKeyPin } from './master-key.ts'
export {
  type Credentials,
  EXIT_CODES,
  outcomeText,
  SignInError,
  type SignInOutcome,
  type SignInStatus,
} from './outcome.ts'
export { type PublicationOptions, PublicationReceiver } from './publication-receiver.ts'
export type { MinionSettings } from './settings.ts'
export { newNonce, SignIn } from './sign-in.ts'
export { signedPart } from './signed-part.ts'
