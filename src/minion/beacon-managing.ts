// Requests about beacons, which functions send over a minion's bus, and the events that answer them.
import { lookup } from '../base/mod.ts'
import { type Dict, deepCopy, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { beaconOptions } from '../sdk/mod.ts'
import { type BeaconSet, beaconName } from './beacon-set.ts'

/** The beacons of a minion, for reading and changing. */
interface ManagedBeacons {
  /** The beacons of the minion's options, by name. */
  readonly own: Dict
  /** The beacons of the minion's pillar, by name. */
  readonly ofPillar: Dict
  readonly set: BeaconSet
  functions(): Promise<Registry>
}

export interface BeaconAnswer {
  tag: string
  data: Dict
}

interface Request {
  name: string
  config: Value
  data: Dict
}

type Command = (beacons: ManagedBeacons, request: Request) => BeaconAnswer | Promise<BeaconAnswer>

const answer = (word: string, data: Record<string, Value>): BeaconAnswer => ({
  tag: `/salt/minion/minion_${word}`,
  data: new Map(Object.entries({ complete: true, ...data })),
})

const now = (beacons: ManagedBeacons): Value => deepCopy(beacons.own)

/** Change a beacon in the minion's own configuration; beacons in pillar stay unchanged. */
const changing =
  (
    word: string,
    refusal: (name: string) => string,
    change: (beacons: ManagedBeacons, request: Request) => string,
  ): Command =>
  (beacons, request) => {
    const { name } = request
    const isOfPillar = beacons.ofPillar.has(name)
    const comment = isOfPillar ? refusal(name) : change(beacons, request)
    return answer(`beacon_${word}_complete`, { complete: !isOfPillar, comment, beacons: now(beacons) })
  }

const inPillar = (verb: string) => (name: string) => `Cannot ${verb} beacon item ${name}, it is configured in pillar.`

function put(beacons: ManagedBeacons, { name, config }: Request): void {
  beacons.own.set(name, config)
  beacons.set.close(name)
}

function add(beacons: ManagedBeacons, request: Request): string {
  const { name } = request
  const comment = beacons.own.has(name)
    ? `Updating settings for beacon item: ${name}`
    : `Added new beacon item: ${name}`
  put(beacons, request)
  return comment
}

function remove(beacons: ManagedBeacons, { name }: Request): string {
  beacons.set.close(name)
  return beacons.own.delete(name) ? `Deleting beacon item: ${name}` : `Beacon item ${name} not found.`
}

function switched(on: boolean): (beacons: ManagedBeacons, request: Request) => string {
  return (beacons, { name }) => {
    const config = beacons.own.get(name) ?? null
    if (isDict(config)) config.set('enabled', on)
    else if (isList(config)) {
      const list = config as Value[]
      const held = list.find((part) => isDict(part) && part.has('enabled')) as Dict | undefined
      if (held) held.set('enabled', on)
      else list.push(new Map([['enabled', on]]))
    }
    return `${on ? 'Enabling' : 'Disabling'} beacon item ${name}`
  }
}

const switchAll =
  (on: boolean): Command =>
  (beacons) => {
    beacons.own.set('enabled', on)
    return answer(`beacons_${on ? 'enabled' : 'disabled'}_complete`, { beacons: now(beacons) })
  }

function list(beacons: ManagedBeacons, { data }: Request): BeaconAnswer {
  const parts = [
    truthy(data.get('include_pillar') ?? true) ? beacons.ofPillar : new Map(),
    truthy(data.get('include_opts') ?? true) ? beacons.own : new Map(),
  ]
  return answer('beacons_list_complete', { beacons: deepCopy(new Map(parts.flatMap((part) => [...part]))) })
}

async function validate(beacons: ManagedBeacons, { name, config }: Request): Promise<BeaconAnswer> {
  const options = beaconOptions(config)
  const kindName = beaconName(name, options)
  const kind = await beacons.set.find(kindName, await beacons.functions())
  const unknown = `Beacon ${kindName} does not have a validate function, skipping validation.`
  const { valid, comment } = kind ? await kind.validate(config, options) : { valid: true, comment: unknown }
  return answer('beacon_validation_complete', { vcomment: comment, valid })
}

const COMMANDS: Readonly<Record<string, Command>> = lookup({
  add: changing('add', (name) => `Cannot update beacon item ${name}, because it is configured in pillar.`, add),
  modify: changing('modify', inPillar('modify'), (beacons, request) => {
    put(beacons, request)
    return `Updating settings for beacon item: ${request.name}`
  }),
  delete: changing('delete', inPillar('delete'), remove),
  enable: switchAll(true),
  disable: switchAll(false),
  enable_beacon: changing('enabled', inPillar('enable'), switched(true)),
  disable_beacon: changing('disabled', inPillar('disable'), switched(false)),
  list,
  list_available: async (beacons) =>
    answer('beacons_list_available_complete', {
      beacons: await beacons.set.names(await beacons.functions()),
    }),
  validate_beacon: validate,
  reset: (beacons) => {
    beacons.set.closeAll()
    beacons.own.clear()
    return answer('beacon_reset_complete', { comment: 'Beacons have been reset', beacons: now(beacons) })
  },
})

/** Carry out a `manage_beacons` event. */
export async function manageBeacons(beacons: ManagedBeacons, data: Dict): Promise<BeaconAnswer> {
  const func = str(data.get('func') ?? null)
  const command = COMMANDS[func]
  if (!command) throw new RangeError(`Function "${func}" is unavailable in salt.utils.beacons`)
  return command(beacons, { name: str(data.get('name') ?? ''), config: data.get('beacon_data') ?? null, data })
}
