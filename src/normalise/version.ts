/**
 * Part of every digest: a change in what a payload becomes must raise it, so that unchanged lists are read and
 * written again.
 */
export const NORMALISER_VERSION = 2
