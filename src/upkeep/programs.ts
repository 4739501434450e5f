// Programs of the machine that upkeep needs: package managers and verifiers of signatures.
import { execFile } from 'node:child_process'

const MOST_OUTPUT = 4 << 20

export interface ToolOutcome {
  code: number
  stdout: string
  stderr: string
}

export interface ProgramLimits {
  milliseconds: number
  env?: Readonly<Record<string, string>>
}

/** Run a program to its end; return undefined when it is not installed. */
export function runTool(
  program: string,
  words: readonly string[],
  { milliseconds, env }: ProgramLimits,
): Promise<ToolOutcome | undefined> {
  return new Promise((resolve) => {
    const options = { maxBuffer: MOST_OUTPUT, timeout: milliseconds, env: { ...process.env, ...env } }
    execFile(program, [...words], options, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') resolve(undefined)
      else resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr })
    })
  })
}
