// The recorded cases that are swept: real runs of states that exist.
import { basename } from 'node:path'
import type { Case, Json } from '../conformance/area.ts'
import { caseFiles, pendingCases, readCases } from '../conformance/corpus.ts'
import type { Call } from '../conformance/minion/case-call.ts'

const FILES = new Set(['state_file.jsonl', 'state_cmd.jsonl', 'state_other.jsonl'])
const RUNS = new Set(['state.apply', 'state.sls', 'state.single'])

export function sweptCases(): Case[] {
  const pending = pendingCases('states')
  const files = caseFiles('states').filter((file) => FILES.has(basename(file)))
  return readCases(files).filter((testCase) => !pending.has(testCase.name) && isRealRun(testCase))
}

function isRealRun(testCase: Case): boolean {
  const { fun, kwargs = {} } = testCase['call'] as Call
  const { opts = {} } = testCase['minion'] as { opts?: Record<string, Json> }
  return RUNS.has(fun) && !('test' in kwargs) && !('test' in opts)
}
