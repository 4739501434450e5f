// Times the commands that the master answers, while somebody wants to know.
import { type Dict, textOf } from '../data/mod.ts'
import type { RequestChannelOptions } from '../wire/mod.ts'

type RequestHandlers = RequestChannelOptions['handlers']

export class CommandMeter {
  /** Commands that are being answered. */
  running = 0
  private hear: ((cmd: string, milliseconds: number) => void) | undefined

  /** Hear of each command that was answered. Return the function that ends it. */
  listen(hear: (cmd: string, milliseconds: number) => void): () => void {
    this.hear = hear
    return () => {
      this.hear = undefined
    }
  }

  /** Return handlers whose commands are timed where `isKnown` says that there are such. */
  metered(handlers: RequestHandlers, isKnown: (cmd: string) => boolean): RequestHandlers {
    return {
      ...handlers,
      clear: (load, sender) => this.timed(load, isKnown, () => handlers.clear(load, sender)),
      aes: (load, sender) => this.timed(load, isKnown, () => handlers.aes(load, sender)),
    }
  }

  private timed(load: Dict, isKnown: (cmd: string) => boolean, answer: () => unknown): unknown {
    const cmd = this.hear && (textOf(load.get('cmd') ?? null) ?? '')
    if (cmd === undefined || !isKnown(cmd)) return answer()
    const began = performance.now()
    this.running++
    const done = (): void => {
      this.running--
      this.hear?.(cmd, performance.now() - began)
    }
    let answered: unknown
    try {
      answered = answer()
    } catch (error) {
      done()
      throw error
    }
    if (answered instanceof Promise) return answered.finally(done)
    done()
    return answered
  }
}
