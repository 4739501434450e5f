// Keys of GnuPG in a directory of their own, for tests of signatures.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Why signatures cannot be made here; undefined when they can. */
export const noGpg = ['gpg', 'gpgv'].find((program) => spawnSync(program, ['--version']).status !== 0)

export class GpgHome {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    // gpg refuses directories of others
    chmodSync(folder, 0o700)
  }

  run(...words: string[]): Buffer {
    return execFileSync('gpg', ['--homedir', this.folder, '--batch', '--quiet', '--yes', ...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  /** Make a key that signs, and write its public half; return the file. */
  makeKey(address: string, ...form: ('binary' | 'armored')[]): string {
    this.run('--passphrase', '', '--quick-generate-key', address, 'ed25519', 'sign', 'never')
    const file = join(this.folder, `${address}.pub`)
    const armor = form.includes('binary') ? [] : ['--armor']
    writeFileSync(file, this.run(...armor, '--export', address), { mode: 0o644 })
    return file
  }

  /** Sign a file into `<file>.asc`. */
  sign(address: string, file: string): string {
    this.run('--armor', '--local-user', address, '--output', `${file}.asc`, '--detach-sign', file)
    return `${file}.asc`
  }

  /** End the agent that gpg started. */
  close(): void {
    spawnSync('gpgconf', ['--homedir', this.folder, '--kill', 'all'])
  }
}
