/** Lines of one language, as the reference shows them next to an operation. */
export interface Sample {
  language: 'curl' | 'JavaScript' | 'C#' | 'GDScript' | `${'TypeScript' | 'C#' | 'GDScript' | 'Lua'} client`;
  text: string;
}
