// Runs a program of this machine to its end, as an argument vector, within a time limit.
import { spawn } from 'node:child_process'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export interface CommandOptions {
  input?: string | Buffer
  env?: Record<string, string>
  /** Milliseconds after which the program is killed. */
  timeout?: number
}

const MINUTE = 60_000

/** What the program printed and its exit code; 128 + n when signal n ended it, as a shell counts. */
export function attempt(argv: string[], options: CommandOptions = {}): Promise<Outcome> {
  const { input = '', env, timeout = 8 * MINUTE } = options
  const [program, ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, { env: { ...process.env, ...env }, timeout, killSignal: 'SIGKILL' })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    // a program need not read what it is given
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal !== null) stderr.push(Buffer.from(`ended by ${signal}`))
      resolve({ code: code ?? 137, stdout: String(Buffer.concat(stdout)), stderr: String(Buffer.concat(stderr)) })
    })
  })
}

/** What the program printed; throws with its last words when it fails. */
export async function run(argv: string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(argv, options)
  if (code === 0) return stdout
  const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')
  throw new Error(`\`${argv.join(' ')}\` exited with ${code}:\n${words}`)
}
