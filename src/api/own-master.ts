// The master of this very process.
import type { Master } from '../master/mod.ts'
import { limitedHost } from '../wire/mod.ts'
import type { ApiMaster } from './master.ts'
import { ownAnswers, ownRecords } from './shared-records.ts'

export function ownMaster({ parts, access, commands, telemetry }: Master): ApiMaster {
  const { bus } = parts
  return {
    access,
    telemetry,
    ...(parts.cluster && { sessions: ownRecords(parts.stores), answers: ownAnswers(parts.cluster.claims) }),
    events: {
      get last() {
        return bus.last
      },
      isOpen: true,
      listen: (hear) => bus.listen(hear),
    },
    // the master lets hosts take turns
    command: async (load, peer) => (await commands.answer(load, { ...peer, host: limitedHost(peer.host) })) as never,
    fire: async (tag, data, origin) => void bus.fireFrom(origin, tag, data),
    close: () => {},
  }
}
