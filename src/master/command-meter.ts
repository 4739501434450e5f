// Measures the commands that the master answers, while metrics or traces need it, and puts each in a span.
import { type Dict, textOf } from '../data/mod.ts'
import { readTraceparent, type Tracer } from '../telemetry/mod.ts'
import type { RequestChannelOptions } from '../wire/mod.ts'

type RequestHandlers = RequestChannelOptions['handlers']
type Sender = Parameters<RequestHandlers['aes']>[1]

export class CommandMeter {
  /** Commands that are being answered. */
  running = 0
  private hear: ((cmd: string, milliseconds: number) => void) | undefined
  private readonly tracer: Tracer | undefined

  constructor(tracer?: Tracer) {
    this.tracer = tracer
  }

  /** Listen to answered commands. Return a function that stops it. */
  listen(hear: (cmd: string, milliseconds: number) => void): () => void {
    this.hear = hear
    return () => {
      this.hear = undefined
    }
  }

  /** Return handlers that measure the time of commands; `isKnown` returns whether a name is a command. */
  metered(handlers: RequestHandlers, isKnown: (cmd: string) => boolean): RequestHandlers {
    return {
      ...handlers,
      clear: (load, sender) =>
        this.timed(load, isKnown, () => this.traced(load, sender, isKnown, () => handlers.clear(load, sender))),
      aes: (load, sender) =>
        this.timed(load, isKnown, () => this.traced(load, sender, isKnown, () => handlers.aes(load, sender))),
    }
  }

  /** Answer in a span below the span of the sender. */
  private traced(load: Dict, { id }: Sender, isKnown: (cmd: string) => boolean, answer: () => unknown): unknown {
    const cmd = this.tracer && (textOf(load.get('cmd') ?? null) ?? '')
    if (!this.tracer || cmd === undefined || !isKnown(cmd)) return answer()
    const attributes = { 'salt.req.cmd': cmd, 'salt.req.minion_id': id }
    const parent = readTraceparent(load.get('traceparent'))
    return this.tracer.span({ name: `salt.req.recv.${cmd}`, kind: 'server', attributes, parent }, answer)
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
