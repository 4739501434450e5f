// One bash for all commands of a document, so that `export` and `cd` count for the commands that follow, as in a terminal.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { until } from '../until.ts'

const END = 'end-of-the-command'

export interface Ran {
  output: string
  status: number
}

export class Shell {
  private readonly child: ChildProcessWithoutNullStreams
  private text = ''

  constructor(folder: string, env: Record<string, string>) {
    const plain = { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', ...env }
    this.child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: plain, stdio: 'pipe' })
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
    })
    this.child.stdin.write('exec 2>&1\n')
  }

  /** Run a command to its end. Its input is empty; `$?` is the status of the command before. */
  async run(command: string): Promise<Ran> {
    this.text = ''
    this.child.stdin.write(`{ ${command}\n} </dev/null; __s=$?; printf '\\n${END} %s\\n' $__s; (exit $__s)\n`)
    const end = new RegExp(`\\n${END} (\\d+)\\n`)
    await until(`the end of '${command}'`, () => end.test(this.text) || this.child.stdout.readableEnded)
    const found = end.exec(this.text)
    if (!found) throw new Error(`The shell ended during '${command}': ${this.text}`)
    return { output: this.text.slice(0, found.index), status: Number(found[1]) }
  }

  close(): void {
    this.child.kill()
  }
}
