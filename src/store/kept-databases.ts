// The databases of a master by their files below `cachedir`, and one for each queue: for programs that copy, check or migrate all.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { API_SCHEMA } from './api-sessions.ts'
import { CACHE_QUEUE_SCHEMA } from './cache-queues.ts'
import { connectDatabase } from './database.ts'
import { ORCHESTRATIONS_SCHEMA } from './orchestrations.ts'
import { queueSchema } from './queues.ts'
import { REACTIONS_SCHEMA } from './reactions.ts'
import {
  copyDatabase,
  databaseBytes,
  type Fit,
  fitOf,
  migrateDown,
  newestVersion,
  type Schema,
  schemaVersion,
  versionBefore,
  versionNumber,
  versionText,
} from './schema.ts'
import { JOBS_SCHEMA } from './sqlite-jobs.ts'

/** The schemas by the names of their files below `cachedir`. */
export const MASTER_DATABASES: Readonly<Record<string, Schema>> = {
  'api.db': API_SCHEMA,
  'job-caches.db': CACHE_QUEUE_SCHEMA,
  'jobs.db': JOBS_SCHEMA,
  'orchestrations.db': ORCHESTRATIONS_SCHEMA,
  'reactions.db': REACTIONS_SCHEMA,
}

/** The versions of all schemas that this code writes, by their names. */
export function schemaHeads(): Record<string, string> {
  const all = [...Object.values(MASTER_DATABASES), queueSchema('queue')]
  return Object.fromEntries(all.map((schema) => [schema.name, newestVersion(schema)]))
}

/** An existing database. */
export interface KeptDatabase {
  file: string
  schema: Schema
}

/** Return the existing databases of a master, by its `cachedir` and the directory of its queues. */
export function keptDatabases(cachedir: string, queues: string): KeptDatabase[] {
  const own = Object.entries(MASTER_DATABASES).map(([name, schema]) => ({ file: join(cachedir, name), schema }))
  const names = existsSync(queues) ? readdirSync(queues).filter((name) => name.endsWith('.db')) : []
  const queued = names.sort().map((name) => ({
    file: join(queues, name),
    schema: queueSchema(name.slice(0, -'.db'.length)),
  }))
  return [...own.filter(({ file }) => existsSync(file)), ...queued]
}

export interface DatabaseFacts {
  name: string
  file: string
  version: string
  /** How this code can use it. */
  fit: Fit
  /** Bytes of the file with its log. */
  bytes: number
}

/** Return the version of a database without changing it. */
export function databaseFacts({ file, schema }: KeptDatabase): DatabaseFacts {
  const db = connectDatabase(file)
  try {
    const found = schemaVersion(db, schema)
    const fit = fitOf(found, versionNumber(newestVersion(schema)))
    return { name: schema.name, file, version: versionText(found), fit, bytes: databaseBytes(file) }
  } finally {
    db.close()
  }
}

/** Write a consistent copy of a database that a master may be using; return the version of the copy. */
export function copyKept(file: string, target: string): string {
  const db = connectDatabase(file)
  try {
    copyDatabase(db, target)
  } finally {
    db.close()
  }
  const copy = connectDatabase(target)
  try {
    return versionText(schemaVersion(copy))
  } finally {
    copy.close()
  }
}

/** Take a database back to a version, or one step back. Return the versions before and after. */
export function downgradeKept({ file, schema }: KeptDatabase, to?: string): { from: string; to: string } {
  const db = connectDatabase(file)
  try {
    const found = versionText(schemaVersion(db, schema))
    const target = to ?? versionBefore(schema, found) ?? found
    return { from: migrateDown(db, file, schema, target), to: target }
  } finally {
    db.close()
  }
}
