// PowerShell commands whose output objects are returned as data, through JSON. Without Windows PowerShell, `pwsh` is used.
import { type Dict, failure, isList, loadJson, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../../sdk/mod.ts'
import { args } from './arguments.ts'
import { execute } from './execute.ts'
import { type Given, given } from './given.ts'

const HOW = ['-NonInteractive', '-NoProfile', '-ExecutionPolicy', 'Bypass']

const shell = arg.text('`powershell` or `pwsh`', { default: 'powershell' })
const depth = arg.count('Depth of the returned objects', { optional: true })
const encode_cmd = arg.flag('Whether to pass the command in base64, which keeps all characters', {
  default: false,
})

const SUCCESS = 'success_retcodes success_stdout success_stderr'
const TAIL = 'timeout reset_system_locale ignore_retcode saltenv use_vt password'
const HEAD = 'env clean_env template rstrip umask output_encoding output_loglevel'

export const objectArguments = {
  ...args('cmd cwd stdin runas'),
  shell,
  ...args(`${HEAD} hide_output ${TAIL}`),
  depth,
  encode_cmd,
  ...args(SUCCESS),
}

export const allArguments = {
  ...args('cmd cwd stdin runas'),
  shell,
  ...args(HEAD),
  quiet: arg.flag('Whether to log nothing', { default: false }),
  ...args(TAIL),
  depth,
  encode_cmd,
  force_list: arg.flag('Whether to return a single object as a list', { default: false }),
  ...args(SUCCESS),
}

/** Return the path of the program; a machine without Windows has only the newer one. */
async function binaryOf(ctx: FunctionContext, call: Given): Promise<string> {
  const wanted = str(given(call, 'shell') ?? 'powershell')
  if (wanted !== 'powershell' && wanted !== 'pwsh') {
    throw failure("Must specify a valid powershell binary. Must be 'powershell' or 'pwsh'")
  }
  const path = (await ctx.host.which(wanted)) ?? (await ctx.host.which('pwsh'))
  if (path === undefined) throw failure(`PowerShell is not installed: neither '${wanted}' nor 'pwsh' is in the PATH`)
  return path
}

function commandOf(call: Given): string {
  const cmd = given(call, 'cmd') ?? ''
  const line = isList(cmd) ? cmd.map(str).join(' ') : str(cmd)
  const depth = given(call, 'depth')
  return `${line} | ConvertTo-JSON${depth === null || depth === undefined ? '' : ` -Depth ${str(depth)}`}`
}

/** Return the words of the command line, with the text as is or in UTF-16 and base64. */
function words(binary: string, text: string, call: Given): Value[] {
  if (!truthy(given(call, 'encode_cmd'))) return [binary, ...HOW, '-Command', text]
  const encoded = Buffer.from(`$ProgressPreference='SilentlyContinue'; ${text}`, 'utf16le').toString('base64')
  return [binary, ...HOW, '-EncodedCommand', encoded]
}

/** Return the output as JSON; other text becomes one JSON string. */
function jsonOf(output: string): string {
  if (output === '') return '""'
  return /^["{[]/.test(output) ? output : `"${output}"`
}

/** Return the objects of a command; empty if the output is not readable. */
export async function powershell(ctx: FunctionContext, call: Given): Promise<Value> {
  const text = `try { ${commandOf(call)} } catch { Write-Error $_ }`
  const binary = await binaryOf(ctx, call)
  const cmd = words(binary, text, call)
  const outcome = await execute(ctx, { ...call, shell: binary, cmd, python_shell: false }, 'apart')
  const output = truthy(given(call, 'hide_output')) ? '' : str(outcome.get('stdout')!)
  try {
    return loadJson(jsonOf(output))
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    ctx.log('error', `Error converting PowerShell JSON return: ${error.message}`)
    return new Map()
  }
}

/** Return the objects with process id, return code and errors. */
export async function powershellAll(ctx: FunctionContext, call: Given): Promise<Dict> {
  const text = commandOf(call)
  const binary = await binaryOf(ctx, call)
  const cmd = words(binary, text, call)
  const outcome = await execute(ctx, { ...call, shell: binary, cmd, python_shell: false }, 'apart')
  const output = str(outcome.get('stdout')!)
  const asList = truthy(given(call, 'force_list'))
  outcome.delete('stdout')
  if (output === '') return asList ? outcome.set('result', []) : outcome
  const result = resultOf(output, outcome)
  outcome.set('result', asList && !Array.isArray(result) ? [result] : result)
  // progress messages of an encoded command are no errors
  if (str(outcome.get('stderr')!).includes('CLIXML')) outcome.set('stderr', '')
  return outcome
}

function resultOf(output: string, outcome: Dict): Value {
  try {
    return loadJson(jsonOf(output))
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    const text = [output, str(outcome.get('stderr')!)].filter((part) => part !== '').join('\n')
    throw failure(`cmd.powershell_all cannot parse the Powershell output.\n\n${text}`)
  }
}
