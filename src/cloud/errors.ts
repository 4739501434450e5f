// Errors of salt-cloud, in Salt's classes.
import { SaltError } from '../data/mod.ts'

/** Something in the files is missing or wrong. */
export const configError = (message: string, hint?: string): SaltError =>
  new SaltError('SaltCloudConfigError', message, hint === undefined ? {} : { hint })

/** A machine, profile or function that does not exist. */
export const cloudNotFound = (message: string, hint?: string): SaltError =>
  new SaltError('SaltCloudNotFound', message, hint === undefined ? {} : { hint })

/** A step of a creation or a destruction failed. */
export const executionFailure = (message: string, cause?: unknown): SaltError =>
  new SaltError('SaltCloudExecutionFailure', message, cause === undefined ? {} : { cause })
