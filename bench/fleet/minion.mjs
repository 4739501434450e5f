// A simulated minion with an address and grains of its own. Takes the place of the swarm's lib/minion.mjs.
import { addressOf, grainsOf } from './facts.mjs'
import { SimMinion as PlainMinion } from './plain-minion.mjs'

export * from './plain-minion.mjs'

export class SimMinion extends PlainMinion {
  subscribe() {
    const { opt } = this
    // ZeroMQ takes the address to connect from before a semicolon
    this.opt = { ...opt, master: `${addressOf(this.id)}:0;${opt.master}` }
    return super.subscribe().finally(() => {
      this.opt = opt
    })
  }

  request(load, ...rest) {
    return super.request(load.cmd === '_pillar' ? { ...load, grains: grainsOf(this.id) } : load, ...rest)
  }
}
