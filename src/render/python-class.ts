// The class of an error as Python prints it at the end of a traceback: with its module unless it is built in, because
// people search for that name.
import { BrineError } from '../base/mod.ts'
import { SaltError } from '../data/mod.ts'
import { JinjaError } from '../jinja/mod.ts'

const MODULES: Readonly<Record<string, string>> = {
  SaltRenderError: 'salt.exceptions.',
  SerializationError: 'salt.serializers.',
  DeserializationError: 'salt.serializers.',
  JSONDecodeError: 'json.decoder.',
}

export function pythonClass(error: Error): string {
  if (!(error instanceof BrineError)) return error.name === 'Error' ? 'Exception' : error.name
  const parser = error.name === 'YamlError' ? yamlClass(error.cause) : undefined
  if (parser !== undefined) return parser
  const name = error.name === 'LoaderError' ? 'KeyError' : error.name
  return `${moduleOf(error, name)}${name}`
}

function moduleOf(error: BrineError, name: string): string {
  // what `raise()` of a template throws is a class of Salt's
  if (error instanceof SaltError || name === 'TemplateError') return 'salt.exceptions.'
  if (error instanceof JinjaError) return 'jinja2.exceptions.'
  return MODULES[name] ?? ''
}

/** PyYAML's class, which its module is named after. */
function yamlClass(cause: unknown): string | undefined {
  const code = cause instanceof BrineError ? cause.code : ''
  return code.endsWith('Error') ? `yaml.${code.slice(0, -'Error'.length).toLowerCase()}.${code}` : undefined
}
