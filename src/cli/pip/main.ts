// `salt-pip`: the pip of the Python that runs users' modules. It installs into the virtual environment of that Python,
// or else into the folder `python_extras`, so that the packages of the operating system stay unchanged.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { SALT_VERSION, toError } from '../../base/mod.ts'
import { ConfigError } from '../../config/mod.ts'
import { installationOf, isProgram, type PythonInstallation } from '../../python/mod.ts'
import { usageText } from '../optparse/help.ts'
import { SALT_PIP } from '../programs/salt-pip.ts'
import { pythonOptions } from '../python-options.ts'
import type { Streams } from '../streams.ts'
import { adopt, stagingFor } from './extras-folder.ts'

/** The service is not available, as sysexits.h has it. */
const EX_UNAVAILABLE = 69
const EX_FAILED = 1

/** Options of pip that say where to install. */
const PLACES = ['--target', '-t', '--prefix', '--root', '--user', '--python']

const USAGE = `${usageText(SALT_PIP)}\n${SALT_PIP.description}\n\n`

const HAS_PIP = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("pip") is None)'

/** Why pip cannot run; undefined when it can. */
function problemOf({ program, version }: PythonInstallation): string | undefined {
  if (!isProgram(program)) {
    return `${program} is not a program. Install Python 3, or name one by the option python_executable.`
  }
  const { status, error } = spawnSync(program, ['-c', HAS_PIP], { cwd: '/', stdio: 'ignore' })
  if (error) return `${program} cannot be started: ${error.message}`
  if (status !== 0) return `${program} has no pip. Install the package python3-pip, or run ${program} -m ensurepip.`
  return version === undefined ? `The version of ${program} is not known from its folders.` : undefined
}

/** Whether the words install packages without saying where. */
export function isUnplacedInstall(words: readonly string[]): boolean {
  const isPlaced = words.some((word) => PLACES.some((place) => word === place || word.startsWith(`${place}=`)))
  return words.includes('install') && !isPlaced
}

/** Run pip on words that install, and put the packages into the folder of salt-pip. Return the exit status of pip. */
function installInto(extras: string, words: readonly string[], runPip: (words: string[]) => number): number {
  const staging = stagingFor(extras)
  try {
    const status = runPip([...words, `--target=${staging}`])
    if (status === 0) adopt(staging, extras)
    return status
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** The packages that an `uninstall` names and that are not in the folder of salt-pip. */
function strangers(words: readonly string[], { program }: PythonInstallation, extras: string): string[] {
  const listed = spawnSync(program, ['-m', 'pip', 'list', '--path', extras, '--format=json'], {
    cwd: '/',
    encoding: 'utf8',
  })
  const packages = JSON.parse(listed.stdout || '[]') as { name: string }[]
  const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')
  const own = new Set(packages.map(({ name }) => normal(name)))
  return words.filter((word) => word !== 'uninstall' && !word.startsWith('-') && !own.has(normal(word)))
}

/** Return the environment of pip, with the folder of salt-pip first in the path. */
function pipEnvironment(env: NodeJS.ProcessEnv, extras: string | undefined, isUninstall: boolean): NodeJS.ProcessEnv {
  if (extras === undefined) return env
  const path = [extras, env['PYTHONPATH']].filter(Boolean).join(':')
  // the operating system does not manage this folder, although the interpreter says so
  return { ...env, PYTHONPATH: path, ...(isUninstall && { PIP_BREAK_SYSTEM_PACKAGES: '1' }) }
}

export async function saltPip(
  argv: readonly string[],
  streams: Streams,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  if (argv.length === 0 || ['-h', '--help'].includes(argv[0]!)) streams.out(USAGE)
  if (argv.length === 0) return EX_FAILED
  const failed = (why: string, status = EX_UNAVAILABLE): number => {
    streams.err(`salt-pip: ${why}\n`)
    return status
  }
  let installation: PythonInstallation
  try {
    installation = installationOf(await pythonOptions(env['SALT_CONFIG_DIR'], env))
  } catch (error) {
    if (error instanceof ConfigError) return failed(error.message, EX_FAILED)
    throw error
  }
  if (argv[0] === '--version') streams.out(`salt-pip ${SALT_VERSION} (Argon)\n`)
  const problem = problemOf(installation)
  if (problem !== undefined) return failed(problem)
  const { program, extras } = installation
  const isUninstall = argv.includes('uninstall') && extras !== undefined
  if (isUninstall) {
    const others = strangers(argv, installation, extras)
    if (others.length > 0) return failed(`${others.join(', ')}: not installed in ${extras}`, EX_FAILED)
  }
  const runPip = (words: readonly string[]): number => {
    const { status, error } = spawnSync(program, ['-m', 'pip', ...words], {
      stdio: 'inherit',
      env: pipEnvironment(env, extras, isUninstall),
    })
    return error ? failed(`${program} cannot be started: ${error.message}`) : (status ?? EX_FAILED)
  }
  if (extras === undefined || !isUnplacedInstall(argv)) return runPip(argv)
  try {
    return installInto(extras, argv, runPip)
  } catch (error) {
    return failed(`Cannot install into ${extras}: ${toError(error).message}`, EX_FAILED)
  }
}
