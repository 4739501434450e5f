// Errors of backups, restores and upgrades.
import { BrineError } from '../base/mod.ts'

export type UpkeepErrorCode =
  /** An archive is damaged, foreign or made by a newer version. */
  | 'BadArchive'
  /** An archive names a path that it must not. */
  | 'UnsafePath'
  /** A file, directory or master is in the way. */
  | 'InTheWay'
  /** A program that is needed is missing or failed. */
  | 'ProgramFailed'
  /** A package is not one of Brine, or not the announced one. */
  | 'BadPackage'
  /** A package has no signature of a trusted key. */
  | 'BadSignature'
  /** An upgrade cannot begin. */
  | 'UpgradeRefused'

export class UpkeepError extends BrineError<UpkeepErrorCode> {}
