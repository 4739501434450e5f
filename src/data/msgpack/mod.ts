export { type DecodeOptions, decodeMsgpack, decodeMulti } from './decode.ts'
export { type Dialect, MsgpackError, type MsgpackErrorCode, SaltConstant } from './dialect.ts'
export { encodeMsgpack } from './encode.ts'
export { MsgpackStream } from './stream.ts'
