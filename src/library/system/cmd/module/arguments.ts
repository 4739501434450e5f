// The parameters that the functions of `cmd` share; each function takes them in its own order.
import type { Value } from '../../../../data/mod.ts'
import { type Arg, arg } from '../../../../sdk/mod.ts'

const ARGUMENTS = {
  cmd: arg.any('The command: a line, or a list of the program and its arguments'),
  cwd: arg.any('Where it runs; the home of the user when left out', { optional: true }),
  stdin: arg.any('Its input; `\\n` in it means a new line', { optional: true }),
  runas: arg.any('The user it runs as', { optional: true }),
  group: arg.any('The group it runs as', { optional: true }),
  shell: arg.any('The shell for command lines; that of the environment when left out', { default: '' }),
  python_shell: arg.any('Whether a shell reads the line', { optional: true }),
  env: arg.any('Environment variables: a mapping, or a list of mappings', { optional: true }),
  clean_env: arg.any('Whether only these variables are set', { default: false }),
  template: arg.any('The template engine for the command and `cwd`', { optional: true }),
  rstrip: arg.any('Whether blanks at the end of the output are dropped', { default: true }),
  umask: arg.any('The umask, in octal', { optional: true }),
  output_encoding: arg.any('The encoding of the output', { optional: true }),
  output_loglevel: arg.any('The level its output is logged at, or `quiet`', { default: 'debug' }),
  log_callback: arg.any('Changes what is logged', { optional: true }),
  hide_output: arg.any('Whether output is left out of the answer', { default: false }),
  timeout: arg.any('Seconds after which it is ended', { optional: true }),
  reset_system_locale: arg.any('Whether its language is set to C', { default: true }),
  ignore_retcode: arg.any('Whether its code counts as success, whatever it is', { default: false }),
  saltenv: arg.any('The environment for templates and sources', { optional: true }),
  use_vt: arg.any('Accepted for compatibility; output is always gathered', { default: false }),
  redirect_stderr: arg.any('Whether errors are part of the output', { default: false }),
  bg: arg.any('Whether it goes on in the background', { default: false }),
  password: arg.any('Only for Windows', { optional: true, secret: true }),
  encoded_cmd: arg.any('Only for Windows', { default: false }),
  raise_err: arg.any('Whether a failed command is an error', { default: false }),
  prepend_path: arg.any('Put in front of PATH', { optional: true }),
  success_retcodes: arg.any('Codes that count as 0', { optional: true }),
  success_stdout: arg.any('Texts in the output that make the code 0', { optional: true }),
  success_stderr: arg.any('Texts in the errors that make the code 0', { optional: true }),
  args: arg.any('Arguments for the script', { optional: true }),
}

type Name = keyof typeof ARGUMENTS

/** Parameters by name, in that order. */
export function args(names: string): Record<string, Arg<Value>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, ARGUMENTS[name as Name] as Arg<Value>]))
}

export const further = arg.open('Passed on: `pillarenv`, `pillar`, `stdin_raw_newlines`')
