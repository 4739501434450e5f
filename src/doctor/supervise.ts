// Runs an examination in a process with bounded memory, and ends it when it stays with one file for too long. That file is left out of the
// next try, which goes on with the check at which the last one ended.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { BrineError } from '../base/mod.ts'
import type { Examination, SiteCounts } from './examine.ts'
import { Findings, finding } from './finding.ts'
import { withoutScratch } from './site/git-roots.ts'
import type { DoctorRequest } from './site/site.ts'
import type { WorkerMessage } from './worker.ts'

export interface Supervision {
  /** The program and the words that start a worker. */
  command: readonly string[]
  /** Seconds for one file. */
  seconds: number
  /** Megabytes of memory. */
  memory: number
  progress?(step: { done: number; total: number; label: string }): void
}

export interface Diagnosis {
  findings: Findings
  counts: SiteCounts
}

const MOST_TRIES = 50
/** Limit for work between files, such as reading the whole site, as a multiple of the limit for one file. */
const STAGE_FACTOR = 5
const NOTHING: SiteCounts = { stateFiles: 0, pillarFiles: 0, minions: 0, modules: 0 }

/** The request from the command line. */
export type WantedExamination = Omit<DoctorRequest, 'scratch'>

export async function diagnose(wanted: Omit<DoctorRequest, 'scratch'>, supervision: Supervision): Promise<Diagnosis> {
  const scratch = mkdtempSync(join(tmpdir(), 'brine-doctor-'))
  try {
    return await examineAll({ ...wanted, scratch }, supervision)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function examineAll(request: DoctorRequest, supervision: Supervision): Promise<Diagnosis> {
  const diagnosis: Diagnosis = { findings: new Findings(), counts: NOTHING }
  let work: Examination = { request, skip: [], first: 0 }
  for (let tries = 1; ; tries++) {
    const ending = await attempt(work, supervision, diagnosis)
    if (ending === undefined) return diagnosis
    const { file, check, why } = ending
    if (file === undefined || tries >= MOST_TRIES)
      throw new BrineError('DoctorFailed', `The checks could not go on: ${why}`)
    const at = file.startsWith('/') ? { file: withoutScratch(file, request.scratch) } : undefined
    const message = at ? `Left out: ${why}` : `Left out: ${file}: ${why}`
    diagnosis.findings.add(finding('file-too-slow', { message, at }))
    work = { request, skip: [...work.skip, file], first: check }
  }
}

interface Ending {
  file: string | undefined
  check: number
  why: string
}

/** Run one process. Return undefined when it finished its work. */
function attempt(
  work: Examination,
  { command, seconds, memory, progress }: Supervision,
  diagnosis: Diagnosis,
): Promise<Ending | undefined> {
  const [program, ...words] = command
  const child = spawn(program!, [`--max-old-space-size=${memory}`, ...words], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  })
  const now: Ending = { file: undefined, check: 0, why: 'the process ended (out of memory?)' }
  let isDone = false
  return new Promise((resolve, reject) => {
    const expired = (): void => {
      now.why = `it took too long (--file-seconds is ${seconds})`
      child.kill('SIGKILL')
    }
    let timer = setTimeout(expired, seconds * STAGE_FACTOR * 1000)
    const hear = (message: WorkerMessage): void => {
      clearTimeout(timer)
      const isFile = message.kind === 'entered' && message.file.startsWith('/')
      timer = setTimeout(expired, seconds * (isFile ? 1000 : STAGE_FACTOR * 1000))
      switch (message.kind) {
        case 'found':
          return diagnosis.findings.add(message.finding)
        case 'counted':
          diagnosis.counts = message.counts
          return
        case 'began':
          now.check = message.check
          now.file = undefined
          return progress?.({ done: message.check, total: message.total, label: message.name })
        case 'entered':
          now.file = message.file
          return
        case 'failed':
          now.why = message.text
          return
        case 'done':
          isDone = true
      }
    }
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => hear(JSON.parse(line) as WorkerMessage))
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      resolve(isDone ? undefined : now)
    })
    child.stdin!.on('error', () => {})
    child.stdin!.end(JSON.stringify(work))
  })
}
