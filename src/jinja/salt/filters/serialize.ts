// Serializers and their loaders: `yaml`, `json`, `xml`, `python`, and scalars for hand-written YAML. Formatted text is
// Markup, so autoescaping does not change it.
import {
  type DumpJsonOptions,
  decodeData,
  dumpJson,
  iterate,
  loadJson,
  mul,
  PyError,
  pformat,
  str,
  strip,
  textOf,
  truthy,
  typeError,
  type Value,
} from '../../../data/mod.ts'
import { dump, load, YamlError, yamlDquote, yamlEncode, yamlSquote } from '../../../yaml/mod.ts'
import { JinjaError } from '../../errors.ts'
import { pairsOf } from '../../filters/argument.ts'
import { Markup } from '../../runtime/markup.ts'
import { TemplateModule } from '../../runtime/module.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import type { Kwargs } from '../../runtime/runtime.ts'
import { strict } from '../strict-undefined.ts'
import { toXml } from './xml.ts'

/** The methods of Salt's extension name it in Python's messages. */
const method = (name: string): string => `SerializerExtension.${name}`

function toYaml(value: Value, flowStyle: Value): Markup {
  const text = strip(dump(value, { default_flow_style: flowStyle === null ? null : truthy(flowStyle) }))
  return new Markup(text.endsWith('\n...') ? text.slice(0, -4) : text)
}

/** An `import_…` tag passes a whole template; its text is used. */
const loadable = (value: Value): Value => (value instanceof TemplateModule ? str(value) : value)

const sourceOf = (value: Value): string =>
  value instanceof TemplateModule && value.name !== undefined ? `'${value.name}'` : 'the text'

/**
 * Return the final error of Salt's loader: it quotes a text that libyaml does not keep. The reason contains the actual
 * error.
 */
function unquotable(error: YamlError, source: string): PyError {
  return new PyError('AttributeError', "'NoneType' object has no attribute 'splitlines'", {
    reason: `Cannot load YAML: ${error.reason}; line ${error.problemAt!.line} of ${source}`,
    hint: error.hint,
    cause: error,
  })
}

function loadYaml(given: Value): Value {
  const value = loadable(given)
  const text = value instanceof Uint8Array ? value : textOf(value)
  if (text === undefined) throw new PyError('TypeError', 'a string or stream input is required')
  try {
    return decodeData(load(text))
  } catch (error) {
    if (error instanceof YamlError) {
      if (error.problemAt !== undefined) throw unquotable(error, sourceOf(given))
      throw new JinjaError('TemplateRuntimeError', `Encountered error loading yaml: ${error.message}`, { cause: error })
    }
    if (error instanceof PyError && error.code === 'AttributeError') {
      throw new JinjaError('TemplateRuntimeError', `Unable to load yaml from ${str(value)}`, { cause: error })
    }
    throw error
  }
}

const UNREADABLE = new Set(['JSONDecodeError', 'ValueError', 'UnicodeDecodeError', 'TypeError', 'AttributeError'])

function readJson(given: Value): Value {
  const value = loadable(given)
  try {
    const text = value instanceof Uint8Array ? value : textOf(value)
    if (text !== undefined) return loadJson(text)
  } catch (error) {
    if (!(error instanceof PyError && UNREADABLE.has(error.code))) throw error
    const reason = `Cannot load JSON from ${sourceOf(given)}: ${error.message}`
    throw new JinjaError('TemplateRuntimeError', `Unable to load json from ${str(value)}`, { reason, cause: error })
  }
  throw new JinjaError('TemplateRuntimeError', `Unable to load json from ${str(value)}`)
}

/** Characters that HTML would read as markup, as JSON escapes. */
const SCRIPT_ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  "'": '\\u0027',
}

/** Keyword arguments of Python's `json.dumps` as our writer's options. */
function dumpOptions(kwargs: Kwargs): DumpJsonOptions {
  const options: DumpJsonOptions = {}
  for (const [name, value] of kwargs) {
    if (name === 'indent') options.indent = indentText(value)
    else if (name === 'ensure_ascii') options.ensureAscii = truthy(value)
    else if (name === 'sort_keys') options.sortKeys = truthy(value)
    else if (name === 'skipkeys') options.skipKeys = truthy(value)
    else if (name === 'allow_nan') options.allowNan = truthy(value)
    else if (name === 'separators') {
      if (value !== null) options.separators = [...iterate(value)].map(str) as [string, string]
    } else if (!['check_circular', 'cls', 'default'].includes(name)) {
      throw typeError(`JSONEncoder.__init__() got an unexpected keyword argument '${name}'`)
    }
  }
  return options
}

/** The text that indents a level: the value itself, or as many spaces. */
const indentText = (indent: Value): string | null =>
  indent === null ? null : (textOf(indent) ?? (mul(' ', indent) as string))

function toJson(value: Value, sortKeys: Value, indent: Value): Markup {
  const options = { sortKeys: truthy(sortKeys), indent: indentText(indent), ensureAscii: false }
  return new Markup(strip(dumpJson(value, options)))
}

function toScriptJson(value: Value, indent: Value, kwargs: Kwargs): string {
  const options = dumpOptions(kwargs)
  if (indent !== null) options.indent = indentText(indent)
  return dumpJson(value, options).replace(/[<>&']/g, (char) => SCRIPT_ESCAPES[char]!)
}

/** A dict as the list of one-entry dicts that a state's parameters are. */
function toStateParameters(value: Value): Value {
  return Array.from(pairsOf(value), ([key, item]) => new Map([[key, item]]))
}

export const serializeFilters: NativeTable = {
  yaml: strict(
    native(method('format_yaml'), ['@self', 'value', 'flow_style?'], (_rt, value, flowStyle = true) =>
      toYaml(value, flowStyle),
    ),
  ),
  json: strict(
    native(
      method('format_json'),
      ['@self', 'value', 'sort_keys?', 'indent?'],
      (_rt, value, sort = true, indent = null) => toJson(value, sort, indent),
    ),
  ),
  xml: strict(native(method('format_xml'), ['@self', 'value'], (_rt, value) => new Markup(toXml(value)))),
  python: strict(
    native(method('format_python'), ['@self', 'value'], (_rt, value) => new Markup(strip(pformat(value)))),
  ),
  dict_to_sls_yaml_params: strict(
    native(method('dict_to_sls_yaml_params'), ['@self', 'value', 'flow_style?'], (_rt, value, flowStyle = false) =>
      toYaml(toStateParameters(value), flowStyle),
    ),
  ),
  load_yaml: strict(native(method('load_yaml'), ['@self', 'value'], (_rt, value) => loadYaml(value))),
  load_json: strict(native(method('load_json'), ['@self', 'value'], (_rt, value) => readJson(value))),
  load_text: strict(native(method('load_text'), ['@self', 'value'], (_rt, value) => loadable(value))),
  tojson: strict(
    native('tojson', ['val', 'indent?', '**options'], (_rt, value, indent = null, options = new Map()) =>
      toScriptJson(value, indent, options),
    ),
  ),
  yaml_encode: native('yaml_encode', ['data'], (_rt, value) => yamlEncode(value)),
  yaml_dquote: native('yaml_dquote', ['text'], (_rt, value) => yamlDquote(value)),
  yaml_squote: native('yaml_squote', ['text'], (_rt, value) => yamlSquote(value)),
}
