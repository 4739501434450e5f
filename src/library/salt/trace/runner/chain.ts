// The chain of an event or a job: downwards all effects, upwards the single path of causes. Each link is found by a
// number: of an event in the journal, of a reaction, or of a job, which includes orchestration runs and steps.
import { type Dict, isDict, str, type Value } from '../../../../data/mod.ts'
import type { MasterContext } from '../../../../sdk/mod.ts'
import { jobHead, minionLinks } from './jobs.ts'
import { dictOf, lastLine, link, listOf, textOr } from './link.ts'

export interface TracedEvent {
  number: number
  tag: string
  data: Dict
  origin: { kind: string; name: string }
}

interface Reaction {
  id: number
  record: Dict
}

/** Number of reactions that are searched for one link. */
const MOST = 2000

const callsOf = ({ record }: Reaction): Dict[] => listOf(record.get('calls')).filter(isDict)

export class Chain {
  private readonly ctx: MasterContext
  /** Greatest number of minions of a job. */
  private readonly most: number | undefined
  private readonly seen = new Set<string>()

  constructor(ctx: MasterContext, most?: number) {
    this.ctx = ctx
    this.most = most
  }

  /** Return whether a link is new, so that a loop of causes is shown once. */
  private isNew(name: string): boolean {
    if (this.seen.has(name)) return false
    this.seen.add(name)
    return true
  }

  async ofEvent(event: TracedEvent): Promise<Dict> {
    return this.above(event, await this.event(event))
  }

  async ofJob(jid: string): Promise<Dict> {
    return this.aboveJob(jid, await this.job(jid))
  }

  // downwards

  private async event(event: TracedEvent): Promise<Dict> {
    const next: Dict[] = []
    const { number, tag } = event
    if (this.isNew(`event ${number} ${tag}`)) {
      for (const reaction of this.reactionsTo(event)) next.push(await this.reaction(reaction))
    }
    return eventLink(event, next)
  }

  private reactionsTo({ number, tag }: TracedEvent): Reaction[] {
    const known = this.ctx.reactions().to(tag, MOST).reverse()
    return known.filter(({ record }) => record.get('event') === number)
  }

  private async reaction(reaction: Reaction): Promise<Dict> {
    const next: Dict[] = []
    if (this.isNew(`reaction ${reaction.id}`)) {
      for (const call of callsOf(reaction)) {
        const jid = call.get('jid')
        next.push(callLink(reaction, call, jid === undefined ? [] : [await this.job(str(jid))]))
      }
      for (const caused of this.ctx.reactions().causedBy(reaction.id, MOST)) {
        if (!this.seen.has(`reaction ${caused.id}`)) next.push(await this.event(eventIn(caused)))
      }
    }
    return reactionLink(reaction, next)
  }

  private async job(jid: string): Promise<Dict> {
    if (!this.isNew(`job ${jid}`)) return link('job', jobHead(this.ctx, jid).what, { number: jid })
    const next = this.ctx.orchestrations().run(jid) ? [await this.orchestration(jid)] : await this.answers(jid)
    for (const reaction of this.ctx.reactions().about(jid, MOST).reverse()) {
      const isMaker = callsOf(reaction).some((call) => call.get('jid') === jid)
      if (!isMaker && !this.seen.has(`reaction ${reaction.id}`) && jobsOf(eventIn(reaction)).includes(jid)) {
        next.push(await this.event(eventIn(reaction)))
      }
    }
    return this.jobLink(jid, next)
  }

  private async answers(jid: string): Promise<Dict[]> {
    const fun = textOr(this.ctx.jobs.job(jid)?.load.get('fun'))
    return /^(runner|wheel)\./.test(fun) ? [] : minionLinks(this.ctx, jid, this.most)
  }

  private async orchestration(jid: string): Promise<Dict> {
    const steps: Dict[] = []
    for (const step of this.ctx.orchestrations().steps(jid)) {
      const jobs: Dict[] = []
      for (const job of step.jobs) jobs.push(await this.job(job))
      steps.push(stepLink(step, jobs))
    }
    return this.runLink(jid, steps)
  }

  private runLink(jid: string, steps: Dict[]): Dict {
    const run = this.ctx.orchestrations().run(jid)!
    return link('orchestration', textOr(run.asked.get('mods')), { state: run.state }, steps)
  }

  private jobLink(jid: string, next: Dict[]): Dict {
    const { what, state, error } = jobHead(this.ctx, jid)
    return link('job', what, { number: jid, state: state ?? null, error: error ?? null }, next)
  }

  // upwards

  private above(event: TracedEvent, below: Dict): Dict {
    const reactions = this.reactionsTo(event)
    const caused = reactions.map(({ record }) => record.get('cause')).find((cause) => typeof cause === 'number')
    const jid = jobsOf(event).find((job) => this.isKept(job))
    if (jid !== undefined && this.isNew(`above ${jid}`)) return this.aboveJob(jid, this.jobLink(jid, [below]))
    const reaction = caused === undefined ? undefined : this.ctx.reactions().one(caused as number)
    if (reaction && this.isNew(`above reaction ${reaction.id}`)) {
      return this.aboveReaction(reaction, reactionLink(reaction, [below]))
    }
    return beginning(event, below)
  }

  private isKept(jid: string): boolean {
    return this.ctx.jobs.job(jid) !== undefined || this.ctx.orchestrations().run(jid) !== undefined
  }

  private aboveReaction(reaction: Reaction, below: Dict): Dict {
    const event = eventIn(reaction)
    return this.above(event, eventLink(event, [below]))
  }

  private aboveJob(jid: string, below: Dict): Dict {
    const made = this.ctx.orchestrations().stepOf(jid)
    if (made && this.isNew(`above ${made.jid}`)) {
      const step = this.ctx
        .orchestrations()
        .steps(made.jid)
        .find(({ tag }) => tag === made.tag)
      const run = this.runLink(made.jid, step ? [stepLink(step, [below])] : [below])
      return this.aboveJob(made.jid, this.jobLink(made.jid, [run]))
    }
    for (const reaction of this.ctx.reactions().about(jid, MOST)) {
      const call = callsOf(reaction).find((call) => call.get('jid') === jid)
      if (call) return this.aboveReaction(reaction, reactionLink(reaction, [callLink(reaction, call, [below])]))
    }
    const { jobs } = this.ctx
    const [returned] = jobs.ledger.outcomes(jid, 1)
    const first = returned && jobs.returnOf(jid, returned.id)
    const schedule = first?.get('schedule')
    if (schedule !== undefined) return link('schedule', `${str(schedule)} of ${textOr(first?.get('id'))}`, {}, [below])
    const user = this.ctx.jobs.job(jid)?.load.get('user')
    return user === undefined ? below : link('user', str(user), {}, [below])
  }
}

const eventIn = ({ record }: Reaction): TracedEvent => ({
  number: Number(record.get('event') ?? 0),
  tag: textOr(record.get('tag')),
  data: dictOf(record.get('data')),
  origin: { kind: textOr(originIn(record).get('kind')), name: textOr(originIn(record).get('name')) },
})

/** Return the origin of the event in a record; records of earlier versions have none. */
const originIn = (record: Dict): Dict => dictOf(record.get('origin'))

/** Return the jobs that an event reports or in which it was fired. */
function jobsOf({ tag, data }: TracedEvent): string[] {
  const inTag = /^salt\/(?:job|run|wheel|state_result|batch)\/(\d{20}(?:_\d+)?)(?:\/|$)/.exec(tag)?.[1]
  const named = [inTag, data.get('jid'), dictOf(data.get('data')).get('__pub_jid')]
  return named.filter((jid): jid is string => typeof jid === 'string' && jid !== '')
}

/** Return the start of a chain: the beacon or minion that fired the event. */
function beginning({ tag, origin: { kind, name: id } }: TracedEvent, below: Dict): Dict {
  const [, owner, name] = /^salt\/beacon\/([^/]+)\/([^/]+)\//.exec(tag) ?? []
  if (name !== undefined) return link('beacon', `${name} of ${owner}`, {}, [below])
  return kind === 'minion' || kind === 'syndic' ? link(kind, id, {}, [below]) : below
}

const eventLink = ({ number, tag, data }: TracedEvent, next: Dict[]): Dict =>
  link('event', tag, { number: number > 0 ? number : null, time: data.get('_stamp') ?? null }, next)

function reactionLink({ id, record }: Reaction, next: Dict[]): Dict {
  const rules = listOf(record.get('rules')).map(str)
  const places = dictOf(record.get('places'))
  const place = rules.map((rule) => textOr(places.get(rule), 'added while the master ran')).join(', ')
  const errors = listOf(record.get('errors')).map((error) => lastLine(str(error)))
  const isOpen = record.get('calls') === null && errors.length === 0
  const none = callsOf({ id, record }).length === 0 && !isOpen
  return link(
    'reaction',
    rules.join(', '),
    {
      number: id,
      place,
      state: isOpen ? 'begun' : errors.length > 0 ? 'failed' : none ? 'no calls' : null,
      error: errors.join('\n'),
    },
    next,
  )
}

function callLink({ record }: Reaction, call: Dict, next: Dict[]): Dict {
  const [file, id] = [textOr(call.get('file')), textOr(call.get('id'))]
  const rendered = listOf(record.get('files'))
    .filter(isDict)
    .find((one) => one.get('file') === file)
  const line = rendered && dictOf(rendered.get('lines')).get(id)
  const body: Value = dictOf(dictOf(rendered?.get('reactions')).get(id))
  const detail = new Map([...body].filter(([key]) => !str(key).startsWith('__')))
  const target = call.has('tgt') ? ` on ${textOr(call.get('tgt'))}` : ''
  return link(
    'call',
    `${id}: ${textOr(call.get('type'))}.${textOr(call.get('fun'))}${target}`,
    {
      place: line === undefined ? file : `${file}:${str(line)}`,
      state: call.get('state') ?? null,
      // the result of a function is shown with its job
      error: typeof call.get('error') === 'string' ? lastLine(textOr(call.get('error'))) : null,
      detail: detail.size > 0 ? detail : null,
    },
    next,
  )
}

interface Step {
  tag: string
  place?: string
  result?: Dict
}

function stepLink({ tag, place, result }: Step, next: Dict[]): Dict {
  const [state = '', id = '', , fun = ''] = tag.split('_|-')
  const isFailed = result?.get('result') === false
  return link(
    'step',
    `${id}: ${state}.${fun}`,
    {
      place: place ?? null,
      state: result ? (isFailed ? 'failed' : 'done') : 'begun',
      error: isFailed ? textOr(result?.get('comment')) : null,
    },
    next,
  )
}
