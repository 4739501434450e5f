// Short calls of system libraries that Node cannot load (libpam, libcrypt), through Python's ctypes in a separate
// process. Input goes through stdin of that process, never through its arguments or environment.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { option } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'

const SYSTEM_PYTHON = '/usr/bin/python3'

/** Time limit of the process. */
const MOST_MS = 30_000

/** Limit of its output. */
const MOST_BYTES = 4096

export interface ProgramAnswer {
  /** Undefined when the process was ended or could not be started. */
  code: number | undefined
  text: string
}

/** The program that `auth.pam.python` names, else the system's, else the first on the search path. */
function python(opts: Dict): string {
  const chosen = option(opts, 'auth.pam.python')
  return chosen || (existsSync(SYSTEM_PYTHON) ? SYSTEM_PYTHON : 'python3')
}

/**
 * Run a script with an input. `-I` removes the working directory, PYTHONPATH and the user's packages from the search
 * path: the master often is root, and a `ctypes.py` in its working directory would run as root.
 */
export function askPython(opts: Dict, script: string, input: readonly string[]): Promise<ProgramAnswer> {
  return new Promise((done) => {
    const child = spawn(python(opts), ['-I', '-S', '-c', script], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
    })
    let text = ''
    child.stdout.on('data', (piece: Buffer) => {
      if (text.length < MOST_BYTES) text += String(piece)
    })
    child.once('error', () => done({ code: undefined, text: '' }))
    child.once('close', (code) => done({ code: code ?? undefined, text }))
    // the exit status shows whether the input was read
    child.stdin.on('error', () => undefined)
    child.stdin.end(input.join('\0'))
  })
}
