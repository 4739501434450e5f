// Running the system's gpg: found in PATH, called with an argument vector, fed through its input.
import { spawn } from 'node:child_process'
import { access, constants, readdir, unlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { isGone } from '../base/mod.ts'

export interface GpgResult {
  output: Buffer
  /** The output of gpg on stderr. */
  problem: Buffer
}

export async function findGpg(): Promise<string | undefined> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(directory, 'gpg')
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (directory !== '' && runs) return path
  }
  return undefined
}

/** Far above any secret; a message that says more is not one. */
const MOST_OUTPUT = 64 * 1024 * 1024

export function runGpg(program: string, keydir: string, cipher: Buffer): Promise<GpgResult> {
  return new Promise((resolve, reject) => {
    const args = ['--homedir', keydir, '--status-fd', '2', '--no-tty', '-d']
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    const problem: Buffer[] = []
    let size = 0
    const gather = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_OUTPUT) child.kill('SIGKILL')
      else into.push(chunk)
    }
    child.stdout.on('data', gather(output))
    child.stderr.on('data', gather(problem))
    // if gpg fails early, it closes its input; its stderr is more useful than the broken pipe
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', () => {
      if (size > MOST_OUTPUT) reject(new Error(`gpg wrote more than ${MOST_OUTPUT} bytes`))
      else resolve({ output: Buffer.concat(output), problem: Buffer.concat(problem) })
    })
    child.stdin.end(cipher)
  })
}

/** The lock files of gpg processes that were killed end with the process's number. */
const LOCK = /^\.#lk[0-9a-fA-Fx]+\..+\.(\d+)$/

/** Best effort: a lock that cannot be judged or removed stays. */
export async function removeStaleLocks(keydir: string): Promise<void> {
  const entries = await readdir(keydir).catch(() => [])
  for (const entry of entries) {
    const pid = LOCK.exec(entry)?.[1]
    if (pid !== undefined && isGone(Number(pid))) await unlink(join(keydir, entry)).catch(() => {})
  }
}
