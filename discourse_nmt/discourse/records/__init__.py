"""Documents with all that is known of their structure, each as one record: for JSON lines, prompts and fine-tuning."""
