// Rules by which a command counts as successful in spite of its return code.
import { misuse, str, strip, textOf, type Value } from '../../../../data/mod.ts'

export interface SuccessRules {
  retcodes: number[]
  stdout: string[]
  stderr: string[]
}

/** Return a list as is, anything else as text split at commas. */
function listed(value: Value): Value[] {
  return Array.isArray(value)
    ? (value as Value[])
    : str(value)
        .split(',')
        .map((part) => strip(part))
}

export function successRules(args: Readonly<Record<string, unknown>>): SuccessRules {
  const value = (name: string): Value => (args[name] as Value | undefined) ?? null
  const texts = (name: string): string[] =>
    value(name) === null ? [] : listed(value(name)).map((item) => textOf(item) ?? str(item))
  const codes = value('success_retcodes')
  return {
    retcodes: codes === null ? [0] : listed(codes).map(integer),
    stdout: texts('success_stdout'),
    stderr: texts('success_stderr'),
  }
}

function integer(value: Value): number {
  const text = typeof value === 'boolean' ? String(Number(value)) : strip(str(value))
  if (/^[+-]?\d+(\.0)?$/.test(text)) return Number(text)
  throw misuse('success_retcodes must be a list of integers')
}

export function succeeds(
  rules: SuccessRules,
  outcome: { retcode: number | null; stdout: string; stderr: string },
): boolean {
  const { retcode, stdout, stderr } = outcome
  return (
    (retcode !== null && rules.retcodes.includes(retcode)) ||
    rules.stdout.some((text) => stdout.includes(text)) ||
    rules.stderr.some((text) => stderr.includes(text))
  )
}
