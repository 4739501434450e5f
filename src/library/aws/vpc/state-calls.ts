// Calls of the module boto_vpc by its states.
import type { AwsLogin } from '../common/login.ts'
import { asking } from '../common/state-calls.ts'

export interface Named extends AwsLogin {
  name: string
}

export const ask = asking('boto_vpc')
