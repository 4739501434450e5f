// Commands from programs on the master's machine, which are not encrypted.
import type { Dict } from '../data/mod.ts'
import type { Publishing } from './publish.ts'

type Command = (load: Dict) => unknown

export class ClearCommands {
  private readonly commands: ReadonlyMap<string, Command>

  constructor(publishing: Publishing) {
    this.commands = new Map<string, Command>([
      ['ping', (load) => load],
      ['publish', (load) => publishing.publish(load)],
    ])
  }

  answer(load: Dict): unknown {
    const name = load.get('cmd')
    const command = typeof name === 'string' ? this.commands.get(name) : undefined
    return command ? command(load) : new Map()
  }
}
