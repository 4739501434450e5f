// Common frame of all programs: parses the command line, and turns an error into a message and an exit status.
import { readFileSync } from 'node:fs'
import { BrineError, SALT_VERSION } from '../base/mod.ts'
import { type CommandLine, readCommandLine, usageComplaint } from './command-lines.ts'
import { EX_USAGE, ProgramExit, UsageError } from './optparse/exit.ts'
import type { Program } from './optparse/option.ts'
import type { Streams } from './streams.ts'

const EX_FAILED = 1
/** An internal error, as sysexits.h has it. */
const EX_SOFTWARE = 70

/** An error that no program expects, as the last line of a Python traceback. */
function complaint({ name, message, hint, at }: BrineError): string {
  const place = at?.file === undefined ? '' : `${at.file}:${at.line}: `
  return `${hint === undefined ? '' : `${hint}\n`}${name}: ${place}${message}`
}

/** A refusal of the operating system, in the words of Salt or Python; undefined when the error is another one. */
async function systemComplaint(thrown: unknown): Promise<string | undefined> {
  const { code, syscall, path } = thrown as NodeJS.ErrnoException
  if (syscall === undefined) return undefined
  if ((code === 'EACCES' || code === 'EPERM') && path !== undefined) {
    return `No permissions to access "${path}", are you running as the correct user?`
  }
  const known = (await import('../host/mod.ts')).fromNodeError(thrown, path)
  return known instanceof BrineError ? complaint(known) : undefined
}

export async function runProgram(
  program: Program,
  argv: readonly string[],
  streams: Streams,
  work: (line: CommandLine) => Promise<number>,
): Promise<number> {
  // Node ends in silence when all that is waited for is gone
  const unfinished = (): void => {
    streams.err(`${program.name} ended before its work was done, because of a mistake in Brine\n`)
    process.exitCode = EX_SOFTWARE
  }
  process.once('beforeExit', unfinished)
  try {
    const stdin = (): string => readFileSync(0, 'utf8')
    const line = readCommandLine(program, argv, { version: `${SALT_VERSION} (Argon)`, stdin })
    if (line.values.get('versions_report') !== true) return await work(line)
    return await (await import('./versions-report.ts')).printVersions(streams, folderOf(line))
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      streams.err(usageComplaint(program, thrown))
      return EX_USAGE
    }
    if (thrown instanceof BrineError) {
      streams.err(`${complaint(thrown)}\n`)
      return EX_FAILED
    }
    const refusal = thrown instanceof ProgramExit ? undefined : await systemComplaint(thrown)
    if (refusal !== undefined) {
      streams.err(`${refusal}\n`)
      return EX_FAILED
    }
    if (!(thrown instanceof ProgramExit)) throw thrown
    streams.out(thrown.stdout)
    streams.err(thrown.stderr)
    return thrown.status
  } finally {
    process.off('beforeExit', unfinished)
  }
}

/** The directory of the configuration, when the command line names one. */
function folderOf({ given, values }: CommandLine): string | undefined {
  return given.has('config_dir') ? String(values.get('config_dir')) : undefined
}
