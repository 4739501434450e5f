// Salt's `yaml` and `yamlex` serializers, for `file.serialize`, `slsutil` and the `yamlex` renderer. They read with
// PyYAML's plain safe loader (octal ints, dates, the last of equal keys wins) and raise a single error class.
import { BrineError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { Constructor } from './construct/constructor.ts'
import { YamlexConstructor } from './construct/yamlex.ts'
import type { DumperName } from './dump/dialect.ts'
import { type DumpOptions, dump } from './dump/dump.ts'
import { YamlError } from './errors.ts'
import type { LoadOptions } from './load.ts'
import type { Node } from './node.ts'
import { composeSource } from './parser.ts'
import { rememberPositions } from './positions.ts'
import { openSource } from './scan/source.ts'
import { OMAP } from './tags.ts'

/** Text that is marked as encrypted is text here. */
class SerializerConstructor extends Constructor {
  protected override make(node: Node): Value {
    return node.tag.startsWith('!encrypted') ? this.scalarText(node) : super.make(node)
  }
}

/** `salt.serializers.yaml.deserialize`. */
export function deserializeYaml(text: string | Uint8Array, options: LoadOptions = {}): Value {
  return deserializing(() => {
    const source = openSource(text, options.name)
    const root = composeSource(source)
    return root ? new SerializerConstructor(source.name).document(root) : null
  })
}

/** `salt.serializers.yamlex.deserialize`: maps that merge, with `!aggregate` and `!reset`. */
export function deserializeYamlex(text: string | Uint8Array, options: LoadOptions = {}): Value {
  return deserializing(() => {
    const source = openSource(text, options.name)
    const root = composeSource(source, OMAP)
    if (!root) return null
    const value = new YamlexConstructor(source.name).document(root)
    if (options.positions) rememberPositions(root)
    return value
  })
}

function deserializing(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw deserializationError(error)
  }
}

/** A scanner's error keeps only its line. */
function deserializationError(error: BrineError): YamlError {
  const { reason: problem, at: problemAt, hint } = error
  const details = { problem, problemAt, hint, cause: error }
  if (error.code !== 'ScannerError') return new YamlError('DeserializationError', error.message, details)
  return new YamlError('DeserializationError', 'Unknown yaml render error', { ...details, line: problemAt!.line })
}

/** `salt.serializers.yaml.serialize`: without the line feed or the document mark at the end. */
export function serializeYaml(value: Value, options: DumpOptions = {}): string {
  return serializing(value, options, 'serializer')
}

/** `salt.serializers.yamlex.serialize`. */
export function serializeYamlex(value: Value, options: DumpOptions = {}): string {
  return serializing(value, options, 'yamlex')
}

function serializing(value: Value, options: DumpOptions, dumper: DumperName): string {
  try {
    const text = dump(value, { allow_unicode: false, ...options, dumper })
    return text.endsWith('\n...\n') ? text.slice(0, -5) : text.replace(/\n$/, '')
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new YamlError('SerializationError', error.message, { cause: error })
  }
}
