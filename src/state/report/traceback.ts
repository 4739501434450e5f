// A failure in the form of Python's tracebacks: where it happened in the user's files, then class and text. Names of
// classes are what Python code would show, because people search for them.
import { BrineError, type Position } from '../../base/mod.ts'

const MODULES: Readonly<Record<string, string>> = {
  SaltException: 'salt.exceptions.',
  SaltInvocationError: 'salt.exceptions.',
  CommandExecutionError: 'salt.exceptions.',
  SaltRenderError: 'salt.exceptions.',
  SerializationError: 'salt.serializers.',
  DeserializationError: 'salt.serializers.',
  JSONDecodeError: 'json.decoder.',
}

/** The class as Python prints it in front of the text. */
function className(error: Error): string {
  if (!(error instanceof BrineError)) return error.name === 'Error' ? 'Exception' : error.name
  const parser = error.name === 'YamlError' ? yamlClass(error.cause) : undefined
  if (parser !== undefined) return parser
  const name = error.name === 'LoaderError' ? 'KeyError' : error.name
  return `${MODULES[name] ?? ''}${name}`
}

/** PyYAML's class, which its module is named after. */
function yamlClass(cause: unknown): string | undefined {
  const code = cause instanceof BrineError ? cause.code : ''
  return code.endsWith('Error') ? `yaml.${code.slice(0, -'Error'.length).toLowerCase()}.${code}` : undefined
}

export interface Frame extends Position {
  /** What was running there. */
  in?: string
}

export function traceback(error: Error, frames: readonly Frame[]): string {
  const lines = ['Traceback (most recent call last):']
  for (const { file, line, in: where } of frames) {
    lines.push(`  File "${file ?? '<unknown>'}", line ${line}${where === undefined ? '' : `, in ${where}`}`)
  }
  // users' own Python tells its lines itself
  const { trace } = error as { trace?: unknown }
  if (typeof trace === 'string' && trace.startsWith(lines[0]!))
    return [...lines, ...trace.split('\n').slice(1)].join('\n')
  const name = className(error)
  // Python names just the function that it did not find
  const message = name === 'KeyError' ? error.message.replace(/ is not available\.$/, '') : error.message
  lines.push(message === '' ? name : `${name}: ${message}`, '')
  return lines.join('\n')
}
