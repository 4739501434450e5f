// Records cases from real Salt: `node --import tsx test/conformance/gitfs/record.ts IN.jsonl OUT.jsonl` plays each case of a file and
// writes it with what Salt answered under `expect`. SALT_TREE names the checkout of Salt.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../area.ts'
import { recordedWith } from '../areas/gitfs.ts'
import type { Expectation, GitCase, Step } from './case.ts'
import { answerOf } from './compare.ts'
import { idHash, type Values } from './placeholders.ts'
import { applyChange } from './play.ts'
import type { World } from './world.ts'

/** Replace values of this machine and run by placeholders. */
function withPlaceholders<T>(value: T, testCase: GitCase, values: Values): T {
  const names = Object.keys(testCase.repos ?? {})
  const kinds = ['REPO', 'HTTP', 'AUTH', 'GIT', 'SSH', 'SSHNOUSER']
  const pairs: Array<[string, string]> = []
  const hashes: Array<[string, string]> = []
  for (const name of [...names, 'none']) {
    for (const kind of kinds) {
      const url = values(kind, name)!
      pairs.push([url, `<${kind}:${name}>`])
      for (const branch of ['', 'master ', 'dev ', '__env__ ']) {
        hashes.push([idHash(`${branch}${url}`, 'sha256'), `<IDHASH:${branch}<${kind}:${name}>>`])
      }
    }
  }
  for (const host of ['http', 'auth', 'git', 'ssh', 'none']) pairs.push([values('HOST', host)!, `<HOST:${host}>`])
  const fixed = ['CACHE', 'MCACHE', 'KEYS', 'ROOT', 'MACHINE', 'PASSWORD', 'LIVEPID', 'DEADPID']
  pairs.push(...fixed.map((name): [string, string] => [values(name, '')!, `<${name}>`]))
  const all = [...pairs.filter(([text]) => text.length > 3), ...hashes]
  const replaced = (text: string): string =>
    all
      .reduce((so, [from, to]) => so.replaceAll(from, to), text)
      .replace(/Traceback \(most recent call last\):[\s\S]*\n(\S[^\n]*)\n?$/, '<TRACEBACK> $1')
      .replace(/\n\nUsage:\n[\s\S]*/, '\n\nUsage:\n<USAGE>')
  const walk = (item: Json): Json => {
    if (typeof item === 'string') return replaced(item)
    if (Array.isArray(item)) return item.map(walk)
    if (item === null || typeof item !== 'object') return item
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [replaced(key), walk(inner)]))
  }
  return walk(value as Json) as T
}

async function answerTo(step: Step, testCase: GitCase, world: World): Promise<Expectation | undefined> {
  if (step.read !== undefined) {
    const file = world.place(step.read)
    if (!existsSync(file)) return { missing: 'No such file or directory' }
    return withPlaceholders({ text: readFileSync(file, 'utf8') }, testCase, world.values)
  }
  if (step.cmd === undefined) {
    applyChange(step, world)
    return undefined
  }
  const { log, ...answer } = answerOf(step.cmd[0]!, await world.run(step.cmd))
  const lines = log.filter((line) => /^\[(WARNING|ERROR|CRITICAL)\]/.test(line))
  return withPlaceholders({ ...answer, ...(lines.length > 0 && { log: lines }) }, testCase, world.values)
}

async function record(testCase: GitCase, world: World): Promise<GitCase> {
  const steps: Step[] = []
  for (const step of testCase.steps) {
    const expect = await answerTo(step, testCase, world)
    steps.push(expect ? { ...step, expect } : step)
  }
  return { ...testCase, shas: world.shas(), provider: testCase.provider ?? 'pygit2', steps }
}

const [source = '', target = ''] = process.argv.slice(2)
if (!existsSync(source) || target === '') {
  process.stderr.write('usage: record.ts IN.jsonl OUT.jsonl\n')
  process.exit(2)
}
const cases = readFileSync(source, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as GitCase)
const recorded = await recordedWith(cases, join(tmpdir(), 'brine-git-record-'), record)
writeFileSync(target, `${recorded.map((one) => JSON.stringify(one)).join('\n')}\n`)
