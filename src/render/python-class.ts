// The class of an error as Python prints it at the end of a traceback: with its module unless it is built in, because
// people search for that name.
import { BrineError, lookup } from '../base/mod.ts'
import { SaltError } from '../data/mod.ts'
import { JinjaError } from '../jinja/mod.ts'
import { YamlError } from '../yaml/mod.ts'

const MODULES: Readonly<Record<string, string>> = lookup({
  SaltRenderError: 'salt.exceptions.',
  SaltClientError: 'salt.exceptions.',
  SaltReqTimeoutError: 'salt.exceptions.',
  SaltInvocationError: 'salt.exceptions.',
  AuthenticationError: 'salt.exceptions.',
  AuthorizationError: 'salt.exceptions.',
  PublishError: 'salt.exceptions.',
  SerializationError: 'salt.serializers.',
  DeserializationError: 'salt.serializers.',
  JSONDecodeError: 'json.decoder.',
})

export function pythonClass(error: Error): string {
  if (!(error instanceof BrineError)) return error.name === 'Error' ? 'Exception' : error.name
  const parser = yamlClass(error.name === 'YamlError' ? error.cause : error)
  if (parser !== undefined) return parser
  const name = error.name === 'LoaderError' ? 'KeyError' : error.name === 'Error' ? error.code : error.name
  return `${moduleOf(error, name)}${name}`
}

function moduleOf(error: BrineError, name: string): string {
  // `raise()` of a template throws one of Salt's classes
  if (error instanceof SaltError || name === 'TemplateError') return 'salt.exceptions.'
  if (error instanceof JinjaError) return 'jinja2.exceptions.'
  return MODULES[name] ?? ''
}

/** PyYAML's class, which its module is named after. */
function yamlClass(error: unknown): string | undefined {
  if (!(error instanceof YamlError) || error.code in MODULES) return undefined
  return `yaml.${error.code.slice(0, -'Error'.length).toLowerCase()}.${error.code}`
}
