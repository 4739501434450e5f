export { decodeBase64 } from './base64.ts'
export { briefStr } from './brief.ts'
export { briefCopy } from './brief-copy.ts'
export { decodeBytes, encodeText, textOrBytes } from './codecs.ts'
export { compare, compareText, equals, type Ordering, order } from './compare.ts'
export { deepCopy, shallowCopy } from './copy.ts'
export { parseCsv } from './csv.ts'
export { dayOfYear, isoWeekOf } from './date/calendar.ts'
export { PyDate, PyDatetime } from './date/date.ts'
export { strftime } from './date/strftime.ts'
export { type ParsedTime, parseTime } from './date/strptime.ts'
export { PyTime, type TimeOfDay } from './date/time.ts'
export { PyTimedelta } from './date/timedelta.ts'
export { castDate, fromTimestamp, localDatetime, timestampOf } from './date/timestamp.ts'
export { PyTimezone } from './date/zone.ts'
export { decodeData } from './decode.ts'
export { assertHashable, dictDelete, dictEntries, dictGet, dictHas, dictSet } from './dict.ts'
export { compareDicts } from './dict-changes.ts'
export { dictUpdate } from './dict-update.ts'
export { DictItems, DictKeys, DictValues } from './dict-views.ts'
export { type DiffOptions, unifiedDiff } from './difflib.ts'
export { toDouble } from './double.ts'
export { Encoded, readValue } from './encoded.ts'
export { EncodedDict, EncodedEntry } from './encoded-dict.ts'
export {
  failure,
  isFailure,
  misuse,
  PyError,
  type PyErrorType,
  SaltError,
  type SaltErrorCode,
  typeError,
  valueError,
} from './errors.ts'
export { exprMatch } from './expr-match.ts'
export { compileGlob, fnmatch, fnmatchFilter, type Glob } from './fnmatch.ts'
export { formatPercent, type PercentConversions } from './format/percent.ts'
export { format } from './format/spec.ts'
export { type FormatSource, formatTemplate } from './format/str-format.ts'
export { GrowingJson } from './growing-json.ts'
export { HiddenTexts } from './hidden-texts.ts'
export { unescapeHtml } from './html/unescape.ts'
export { IpAddress, IpInterface, IpNetwork, ipAddress, ipInterface, ipNetwork, networkSize } from './ip.ts'
export { IpTextError, type IpVersion } from './ip-text.ts'
export { jmespathSearch } from './jmespath/search.ts'
export { type DumpJsonOptions, dumpJson, encodeJson, findJson, loadJson } from './json/mod.ts'
export { hideMarked, markedIn, markSecret, markTexts, maskMarked } from './marked-secrets.ts'
export { type AggregateLevel, AggregateList, AggregateMap, aggregate } from './merge/aggregate.ts'
export {
  appendDictKeyValue,
  extendDictKeyValue,
  type KeyPathOptions,
  setDictKeyValue,
  updateDictKeyValue,
} from './merge/key-path.ts'
export { type MergeOptions, merge } from './merge/merge.ts'
export { type UpdateOptions, update } from './merge/update.ts'
export {
  type DecodeOptions,
  decodeMsgpack,
  decodeMulti,
  dictHead,
  encodeMsgpack,
  encodePieces,
  FOREIGN_DEPTH,
  MAX_DEPTH,
  type MsgpackDialect,
  MsgpackError,
  type MsgpackErrorCode,
  MsgpackStream,
  Packed,
  PackedCursor,
  type PackedKeys,
  Pieces,
  packedKeys,
  SaltConstant,
  type ValueAllowance,
} from './msgpack/mod.ts'
export { NamedTuple, namedTuple } from './named-tuple.ts'
export { floatFromText, intFromText } from './number-text.ts'
export { abs, add, div, floordiv, mod, mul, neg, pos, pow, sub } from './numbers.ts'
export { isProven, orderProof } from './order-proof.ts'
export { dictFrom, fromPlain, isPlainObject, type Plain, PlainError, toPlain } from './plain.ts'
export { bitLength } from './power.ts'
export { pformat } from './pprint.ts'
export { contains, hasWideChars, isIterable, iterate, len, noAttribute, textLength, truthy } from './protocol.ts'
export { PyRandom } from './random.ts'
export { PyRange } from './range.ts'
export { RegexFlag } from './regex/ast.ts'
export type { PyMatch } from './regex/match.ts'
export { compileRegex, PyRegex, type Replacement, reEscape } from './regex/regex.ts'
export { floatText, quote, repr, str } from './repr.ts'
export { fixedText, round } from './round.ts'
export {
  HIDDEN,
  isCredential,
  isProof,
  isSecretHeader,
  isSecretName,
  maskSecrets,
  secretTexts,
} from './secret-texts.ts'
export { getIndex, getSlice, indexError, keyError, sliceText, sorted, sortItems } from './sequence.ts'
export { PyFrozenSet, PySet } from './set.ts'
export { shlexQuote, shlexSplit } from './shlex.ts'
export { type BoundArguments, bindArguments, matchArguments, type Signature } from './signature.ts'
export {
  makeSaltUrl,
  parseSaltUrl,
  REMOTE_PROTOCOLS,
  redactUrl,
  schemeOf,
  urlParts,
  VALID_PROTOCOLS,
  withBasicAuth,
} from './source-url.ts'
export { statesSucceeded } from './state-results.ts'
export { type SubdictMatchOptions, subdictMatch } from './subdict-match.ts'
export { getItem, setItem } from './subscript.ts'
export { subtree } from './subtree.ts'
export { TAR_BLOCK, type TarEntry, type TarHead, type TarKind, tarHead, tarPadding } from './tar.ts'
export { type ReadTarEntry, tarEntries } from './tar-entries.ts'
export {
  capitalize,
  center,
  isAscii,
  isLower,
  isUpper,
  replaceText,
  SPACE,
  splitLines,
  splitWords,
  strip,
  title,
  titleCase,
  WORD,
} from './text.ts'
export { type WrapOptions, wrapText } from './textwrap.ts'
export {
  type FilterByOptions,
  filterBy,
  type TraverseOptions,
  traverse,
  traverseDict,
} from './traverse.ts'
export { trimDict } from './trim-dict.ts'
export {
  type BinaryOp,
  type Dict,
  Float,
  float,
  int,
  isDict,
  isFloat,
  isInt,
  isList,
  isNumeric,
  NamedDict,
  nameClass,
  numberOf,
  OrderedDict,
  PyObject,
  PyStr,
  pair,
  qualifiedTypeName,
  Tuple,
  textOf,
  tuple,
  typeName,
  type Value,
} from './value.ts'
export { compareDebian } from './versions/debian.ts'
export {
  compareLoose,
  matchVersion,
  splitComparison,
  type VersionOrder,
  versionHolds,
} from './versions/loose.ts'
export { comparePep440, type Specifier, specifiersAccept } from './versions/pep440.ts'
export { parseRequirement, type Requirement } from './versions/requirement.ts'
export { compareRpm, compareRpmText, rpmParts } from './versions/rpm.ts'
export { findXml, parseXml, prettyXml, type XmlElement, xmlLine } from './xml/mod.ts'
