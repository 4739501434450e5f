// A separate minion in a temporary directory, called like `salt-call --local`, in this process.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { saltCall } from '../../src/cli/call/main.ts'

export interface CallOutcome {
  code: number
  out: string
  err: string
}

export class Sandbox {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'brine-sandbox-')))

  /** Files by their path in the sandbox; `$DIR` in a text is the sandbox. */
  write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.dir, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text.replaceAll('$DIR', this.dir))
    }
  }

  async call(...words: string[]): Promise<CallOutcome> {
    const outcome: CallOutcome = { code: 0, out: '', err: '' }
    const streams = {
      out: (text: string) => void (outcome.out += text),
      err: (text: string) => void (outcome.err += text),
      terminal: false,
    }
    const argv = ['--local', '-c', join(this.dir, 'etc'), ...words.map((word) => word.replaceAll('$DIR', this.dir))]
    outcome.code = await saltCall(argv, streams)
    return outcome
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}
