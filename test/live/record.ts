// `SALT_TREE=… node --import tsx test/live/record.ts FILE…`: runs the steps of scenarios with real Salt and records the
// results in the same files, with placeholders for values that vary.
import { readFileSync, writeFileSync } from 'node:fs'
import { readJson } from './compare.ts'
import { recordedEvents } from './events.ts'
import { HttpSteps } from './http-steps.ts'
import { Placeholders } from './placeholders.ts'
import { realSalt } from './programs.ts'
import type { Json, Scenario, Step } from './scenario.ts'
import { Stage } from './stage.ts'
import { shortened, withPlaceholders } from './stand-ins.ts'

const WAIT_SECONDS = 40

async function recorded(stage: Stage, http: HttpSteps, step: Step, known: Placeholders): Promise<Step> {
  if (step.http !== undefined) {
    const answered = await http.recorded(step)
    for (const [jid] of JSON.stringify(answered).matchAll(/\b20\d{18}\b/g)) known.learn(jid)
    return withoutSalts(answered as Json) as Step
  }
  if (step.run === undefined) {
    if (step.action !== undefined) await stage.act(step.action)
    if (step.wait_event === undefined) return step
    return { ...step, seen: await stage.hears(known.filled(step.wait_event, '*'), '', WAIT_SECONDS) }
  }
  const { run, on, stdin, note } = step
  const ran = await stage.run(step, known.filled(run))
  for (const [jid] of `${ran.stdout}${ran.stderr}`.matchAll(/\b20\d{18}\b/g)) known.learn(jid)
  const printed = /^[{["]/.test(ran.stdout) ? readJson(ran.stdout) : undefined
  const json = withoutSalts(printed)
  return {
    run,
    ...(on !== undefined && { on }),
    ...(stdin !== undefined && { stdin }),
    ...(note !== undefined && { note }),
    exit: ran.status,
    stdout:
      json === undefined
        ? shortened(ran.stdout)
        : JSON.stringify(json) === JSON.stringify(printed)
          ? ran.stdout
          : `${JSON.stringify(json, null, 4)}\n`,
    ...(ran.stderr !== '' && { stderr: shortened(ran.stderr) }),
    ...(json !== undefined && { json }),
  }
}

/** Without frames of Salt's code, its documentation and the grains of the machine. */
function withoutSalts<T extends Json | undefined>(value: T): T {
  if (typeof value === 'string') return shortened(value) as T
  if (Array.isArray(value)) return value.map((item) => withoutSalts(item)) as T
  if (value === undefined || value === null || typeof value !== 'object') return value
  if ('kernelrelease' in value && 'osfullname' in value) return { id: value['id'], '...': '<all grains>' } as Json as T
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSalts(item)])) as T
}

/** Return the request of a step as its author wrote it. */
function asked({ stream_start: _, ...step }: Step): Step {
  if (step.http === undefined) return step
  const names = ['http', 'request_headers', 'request_body', 'note']
  return Object.fromEntries(names.filter((name) => name in step).map((name) => [name, step[name]]))
}

for (const file of process.argv.slice(2)) {
  const scenario = JSON.parse(readFileSync(file, 'utf8')) as Scenario
  const stage = new Stage(scenario, realSalt())
  const known = new Placeholders()
  const http = new HttpSteps(scenario, stage, known)
  const found: Pick<Scenario, 'steps' | 'events'> = { steps: [], events: [] }
  try {
    await stage.open()
    const before = stage.seen().length
    for (const step of scenario.steps) found.steps.push(await recorded(stage, http, step, known))
    found.events.push(
      ...recordedEvents(stage.seen().slice(before)).map(({ tag, data }) => ({ tag, data: withoutSalts(data) })),
    )
  } finally {
    await stage.close()
  }
  const filled = JSON.parse(withPlaceholders(JSON.stringify(found), stage.cluster)) as typeof found
  const steps = filled.steps.map((step, index) => ({ ...step, ...asked(scenario.steps[index]!) }))
  writeFileSync(file, `${JSON.stringify({ ...scenario, steps, events: filled.events }, null, 1)}\n`)
}
