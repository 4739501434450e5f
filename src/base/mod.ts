export { BrineError, type ErrorDetails, type Position, toError } from './errors.ts'
export { nearestNames } from './nearest.ts'
