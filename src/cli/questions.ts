// Prompts for the user of a program. Answers come from standard input, line by line; a terminal does not show secret
// ones.
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

export interface Question {
  text: string
  /** Prints the question. */
  say(text: string): void
  isSecret?: boolean
  /** Print the prompt only after an answer arrived, unless the input is a terminal. */
  isAskedOnlyIfAnswered?: boolean
}

export interface Asking {
  readonly isTerminal: boolean
  /** Ask and return the answer; undefined at the end of the input. */
  ask(question: Question): Promise<string | undefined>
  close(): void
}

export class Questions implements Asking {
  readonly isTerminal: boolean = process.stdin.isTTY === true
  private lines: Interface | undefined
  private answers: AsyncIterator<string> | undefined
  private echo: ((text: string) => void) | undefined

  /** Ask and return the answer; undefined when standard input ends before one comes. */
  async ask({ text, say, isSecret = false, isAskedOnlyIfAnswered = false }: Question): Promise<string | undefined> {
    const answers = this.open()
    const isLate = isAskedOnlyIfAnswered && !this.isTerminal
    if (!isLate) say(text)
    this.echo = isSecret ? undefined : say
    const { done, value } = await answers.next()
    if (this.isTerminal && isSecret) say('\n')
    if (done === true) return undefined
    if (isLate) say(text)
    return value
  }

  close(): void {
    this.lines?.close()
  }

  private open(): AsyncIterator<string> {
    if (this.answers) return this.answers
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        this.echo?.(String(chunk))
        done()
      },
    })
    this.lines = createInterface({ input: process.stdin, output, terminal: this.isTerminal })
    this.answers = this.lines[Symbol.asyncIterator]()
    // a terminal that shows no input hands Ctrl-C over as a character
    this.lines.on('SIGINT', () => {
      const isHeard = process.emit('SIGINT')
      this.close()
      if (!isHeard) process.kill(process.pid, 'SIGINT')
    })
    return this.answers
  }
}
