/** A tool's result as text, for the APIs that take nothing else. */

import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** `unsent`: what is said of a part that is no text. */
export function toolOutputText(output: LanguageModelV4ToolResultPart['output'], unsent: string): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'The tool was not run: permission denied.';
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type} ${unsent}]`)).join('\n');
  }
}
