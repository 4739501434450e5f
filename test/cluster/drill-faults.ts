// The faults in the drill of a cluster, one at a time, and how each is undone.
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isGone, toError } from '../../src/base/mod.ts'
import { debianPackage } from '../debian-package.ts'
import { Clock } from '../faults/clock.ts'
import { canMount, SmallDisk } from '../faults/small-disk.ts'
import { until } from '../until.ts'
import { cutOff, healNet } from './private-net.ts'
import type { Trio, TrioMaster } from './trio.ts'

const HOUR = 3600

export interface Fault {
  /** Seconds that the fault lasts at least and at most. */
  lasts: [number, number]
  /** Whether the master takes jobs meanwhile is not asked: it is down, hangs, or is cut off. */
  begin(master: TrioMaster): Promise<void> | void
  end(master: TrioMaster): Promise<void> | void
}

/** Start a master that is down, and wait until it takes part again. */
export async function revived(master: TrioMaster, seconds: number): Promise<void> {
  if (isGone(master.pid)) master.start()
  await until(`${master.address} is ready again`, () => master.isReady(), seconds)
}

/** The disks and clocks of the masters, as far as this machine can have such. */
export class Surroundings {
  private readonly disks = new Map<string, SmallDisk>()
  private readonly clocks = new Map<string, Clock>()
  /** Features that this machine lacks. */
  readonly lacks: string[] = []

  /** `diskMegabytes` is the size of the small disks. */
  constructor(trio: Trio, isNetPrivate: boolean, noNet: string | undefined, diskMegabytes: number) {
    if (!isNetPrivate) this.lacks.push(noNet ?? 'no private network')
    const hasDisks = canMount()
    if (!hasDisks) this.lacks.push('no small disks here: file systems cannot be mounted')
    const library = clockLibrary()
    if ('reason' in library) this.lacks.push(library.reason)
    for (const master of trio.masters) {
      if (hasDisks)
        for (const part of ['cache', 'cache/cluster']) {
          const path = join(master.root, part)
          this.disks.set(path, new SmallDisk(path, `${diskMegabytes}m`))
        }
      if ('reason' in library) continue
      const clock = new Clock(join(trio.root, `${master.address}.clock`))
      this.clocks.set(master.address, clock)
      master.env = clock.env(library.path)
    }
  }

  get hasDisks(): boolean {
    return this.disks.size > 0
  }

  get hasClocks(): boolean {
    return this.clocks.size > 0
  }

  disk(master: TrioMaster, part: string): SmallDisk {
    return this.disks.get(join(master.root, part))!
  }

  clock(master: TrioMaster): Clock {
    return this.clocks.get(master.address)!
  }

  close(): void {
    for (const disk of [...this.disks.values()].reverse()) disk.unmount()
  }
}

/** The library that sets clocks, or the reason why this machine has none. */
export function clockLibrary(): { path: string } | { reason: string } {
  try {
    const folder = join(debianPackage('libfaketime', 'bookworm'), 'usr/lib')
    const path = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
      .map((each) => join(folder, each, 'faketime/libfaketimeMT.so.1'))
      .find((each) => existsSync(each))
    return path === undefined ? { reason: 'libfaketime has no library for this machine' } : { path }
  } catch (error) {
    return { reason: `no clocks to set here: ${toError(error).message.split('\n')[0]}` }
  }
}

/** The faults by name. */
export function faults(around: Surroundings, hasNet: boolean): Record<string, Fault> {
  return {
    ...PROCESS_FAULTS,
    ...(hasNet && {
      'a master is cut off from the others': {
        lasts: [10, 25],
        begin: ({ address }) => cutOff(address),
        end: () => healNet(),
      },
    }),
    ...(around.hasDisks && {
      'the disk of a NATS server is full': fullDisk(around, 'cache/cluster'),
      'the disk of a master is full': fullDisk(around, 'cache'),
    }),
    ...(around.hasClocks && {
      'the clock of a master jumps': {
        lasts: [1, 5],
        begin: (master) => around.clock(master).jump(randomInt(-6, 7) * HOUR + randomInt(-90, 91)),
        end: () => {},
      },
    }),
  } satisfies Record<string, Fault>
}

const fullDisk = (around: Surroundings, part: string): Fault => ({
  lasts: [8, 15],
  begin: (master) => around.disk(master, part).fill(),
  end: (master) => around.disk(master, part).free(),
})

/** Faults that hang processes: the ids are those of the beginning, because a server may be started anew meanwhile. */
function hang(who: 'master' | 'nats' | 'both'): Fault {
  let pids: number[] = []
  return {
    lasts: [9, 14],
    begin: (master) => {
      pids = [...(who === 'nats' ? [] : [master.pid]), ...(who === 'master' ? [] : [master.natsPid])]
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
    },
    end: () => {
      for (const pid of pids) if (!isGone(pid)) process.kill(pid, 'SIGCONT')
    },
  }
}

function killed(who: 'master' | 'nats' | 'both'): Fault {
  return {
    lasts: [1, 8],
    begin: async (master) => {
      master.signal('SIGKILL', who)
      if (who !== 'nats') await master.ended()
    },
    end: () => {},
  }
}

const PROCESS_FAULTS: Record<string, Fault> = {
  'kill -9 of a master and its NATS server': killed('both'),
  'kill -9 of a master': killed('master'),
  'kill -9 of a NATS server': killed('nats'),
  'a NATS server hangs': hang('nats'),
  'a master hangs': hang('master'),
  'a master and its NATS server hang': hang('both'),
  'a master stops and starts': { lasts: [0, 1], begin: (master) => master.stop(), end: () => {} },
}
