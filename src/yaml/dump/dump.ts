// Values to text, with every option PyYAML's dump takes.
import { type Value, valueError } from '../../data/mod.ts'
import { DIALECTS, type DumperName } from './dialect.ts'
import type { EmitterOptions } from './emitter.ts'
import { LibyamlEmitter } from './libyaml.ts'
import { nameShared, type ScalarStyle } from './node.ts'
import { PureEmitter } from './pure.ts'
import { Representer } from './represent.ts'

/** PyYAML's keyword arguments with their own names, as users write them in states. */
export interface DumpOptions {
  default_style?: string | null
  default_flow_style?: boolean | null
  canonical?: boolean | null
  indent?: number | null
  width?: number | null
  /** True when not given, as in Salt. */
  allow_unicode?: boolean | null
  line_break?: string | null
  explicit_start?: boolean | null
  explicit_end?: boolean | null
  version?: readonly [major: number, minor: number] | null
  tags?: ReadonlyMap<string, string> | null
  /** True when not given. */
  sort_keys?: boolean | null
  /** The dumper class; Salt's safe one when not given. */
  dumper?: DumperName
}

/** Return the value as a YAML document; the default options are those of `salt.utils.yaml.safe_dump`. */
export function dump(value: Value, options: DumpOptions = {}): string {
  const dialect = DIALECTS[options.dumper ?? 'SafeOrderedDumper']
  const root = new Representer(dialect, {
    defaultStyle: scalarStyle(options.default_style),
    defaultFlowStyle: options.default_flow_style ?? null,
    sortKeys: options.sort_keys === undefined ? true : Boolean(options.sort_keys),
  }).node(value)
  nameShared(root)
  const Emitter = dialect.emitter === 'libyaml' ? LibyamlEmitter : PureEmitter
  return new Emitter(emitterOptions(options, dialect.emitter)).document(root)
}

function emitterOptions(options: DumpOptions, emitter: 'libyaml' | 'pure'): EmitterOptions {
  const indent = options.indent ?? 2
  const bestIndent = indent > 1 && indent < 10 ? indent : 2
  const width = options.width ?? 80
  const endless = width < 0 && emitter === 'libyaml'
  const tags = options.tags ?? new Map<string, string>()
  if (tags.size > 128 && emitter === 'libyaml') throw valueError('too many tags')
  return {
    canonical: options.canonical ?? false,
    indent: bestIndent,
    width: endless ? Number.POSITIVE_INFINITY : width <= bestIndent * 2 ? 80 : width,
    unicode: options.allow_unicode === undefined ? true : Boolean(options.allow_unicode),
    lineBreak: options.line_break === '\r' || options.line_break === '\r\n' ? options.line_break : '\n',
    explicitStart: options.explicit_start ?? false,
    explicitEnd: options.explicit_end ?? false,
    version: options.version ?? undefined,
    tags,
  }
}

const scalarStyle = (style: string | null | undefined): ScalarStyle =>
  style === "'" || style === '"' || style === '|' || style === '>' ? style : ''
