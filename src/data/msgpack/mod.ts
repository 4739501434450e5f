export { PackedCursor, type PackedKeys, packedKeys } from './cursor.ts'
export { type DecodeOptions, decodeMsgpack, decodeMulti, type ValueAllowance } from './decode.ts'
export {
  FOREIGN_DEPTH,
  MAX_DEPTH,
  type MsgpackDialect,
  MsgpackError,
  type MsgpackErrorCode,
  SaltConstant,
} from './dialect.ts'
export { dictHead, encodeMsgpack, encodePieces, joinEntries } from './encode.ts'
export { Packed, Pieces } from './packed.ts'
export { MsgpackStream } from './stream.ts'
