// Runs a program to its end and collects its output.
import { spawn } from 'node:child_process'

export interface CommandResult {
  code: number
  output: string
}

/** `more` is added to the environment. */
export function runCommand(
  root: string,
  command: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...more }
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
