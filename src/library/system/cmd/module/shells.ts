// Shells and interpreters, and their versions.
import { compileRegex, decodeBytes, RegexFlag, splitLines, strip } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, type Result } from '../../../../sdk/mod.ts'

/** Return the shells in /etc/shells. */
export async function availableShells(ctx: FunctionContext): Promise<string[]> {
  if (!(await ctx.host.stat('/etc/shells'))) return []
  return splitLines(decodeBytes(await ctx.host.read('/etc/shells')))
    .map((line) => strip(line))
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Commands that print the version, and the pattern of the version. */
const QUESTIONS: Readonly<Record<string, readonly [pattern: string, ...argv: string[]]>> = {
  bash: ['version (\\d\\S*)', 'bash', '--version'],
  'bash-test-error': ['versioZ ([-\\w.]+)', 'bash', '--version'],
  'bash-test-env': ['(HOME=.*)', 'bash', '-c', 'declare'],
  zsh: ['^zsh (\\d\\S*)', 'zsh', '--version'],
  tcsh: ['^tcsh (\\d\\S*)', 'tcsh', '--version'],
  cmd: ['Version ([\\d.]+)', 'cmd.exe', '/C', 'ver'],
  powershell: ['PSVersion\\s+(\\d\\S*)', 'powershell', '-NonInteractive', '$PSVersionTable'],
  perl: ['^(\\d\\S*)', 'perl', '-e', 'printf "%vd\\n", $^V;'],
  python: ['^Python (\\d\\S*)', 'python', '-V'],
  ruby: ['^ruby (\\d\\S*)', 'ruby', '-v'],
  php: ['^PHP (\\d\\S*)', 'php', '-v'],
}

type Info = Record<string, Result>

export async function shellInfo(ctx: FunctionContext, shell: string): Promise<Info> {
  const question = Object.hasOwn(QUESTIONS, shell) ? QUESTIONS[shell] : undefined
  if (question === undefined) {
    return { error: `Salt does not know how to get the version number for ${shell}`, installed: null }
  }
  const [pattern, ...argv] = question
  const refusal = (reason: string): Info => ({
    error: `Unable to run command '${argv.join(' ')}' Reason: ${reason}`,
    installed: false,
  })
  let answer: string
  try {
    const { stdout, timedOut } = await ctx.host.run({ argv, mergeStderr: true, timeout: 10 })
    if (timedOut) return refusal('Timed out.')
    answer = decodeBytes(stdout)
  } catch (error) {
    if (isHostError(error)) return refusal(error.message)
    throw error
  }
  const path = (await ctx.host.which(argv[0]!)) ?? null
  const raw = compileRegex(pattern, RegexFlag.IGNORECASE).search(answer)?.group(1)
  return { installed: null, path, ...versionOf(shell, typeof raw === 'string' ? raw : undefined, answer) }
}

function versionOf(shell: string, raw: string | undefined, stdout: string): Info {
  const version = raw === undefined ? undefined : /^\d[\d.]*/.exec(raw)?.[0]
  const found = raw === undefined ? {} : { version_raw: raw }
  if (version === undefined) {
    const error = `The version regex pattern for shell ${shell}, could not find the version string`
    return { ...found, installed: raw === undefined ? null : false, error, stdout }
  }
  const parts = version.split('.').slice(0, 3)
  return { ...found, installed: true, version: parts.length === 1 ? `${parts[0]}.0` : parts.join('.') }
}
