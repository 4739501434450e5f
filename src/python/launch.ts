// Starts the worker's process on this machine. Two separate pipes carry the frames.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { interpreter, workerEnvironment, workerFile } from './interpreter.ts'

/** A worker's process and its streams. */
export interface LaunchedWorker {
  child: ChildProcess
  /** The started program, for errors. */
  program: string
  to: Writable
  from: Readable
  /** The output of modules. */
  printed: readonly Readable[]
}

export interface WorkerSettings {
  /** The least level of log lines that is wanted. */
  level: number
  /** Megabytes of address space; 0 for no limit. */
  memory: number
  /** Whether `import salt` loads an installed real Salt. */
  upstream: boolean
}

export const workerWords = ({ level, memory, upstream }: WorkerSettings): string[] => [
  String(level),
  String(memory),
  upstream ? '1' : '0',
]

/** `extras` is a further folder of packages. */
export function launchHere(python: string, settings: WorkerSettings, extras?: string): LaunchedWorker {
  // -S: the worker reads `site` when it needs it
  const words = ['-S', workerFile(), ...workerWords(settings)]
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(interpreter(python), words, { stdio: [...stdio], env: workerEnvironment(process.env, extras) })
  const [, out, err, to, from] = child.stdio as unknown as [null, Readable, Readable, Writable, Readable]
  return { child, program: python, to, from, printed: [out, err] }
}
