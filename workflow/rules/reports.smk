# The pages of all samples. Each rule's command names the runs alone: a command line with all files of a
# thousand samples is longer than the system takes. Without --fullnames MultiQC shortens names: it calls
# S1_trimmed S1, and of two samples of one name it shows one.
rule multiqc:
    input:
        expand("results/{sample}/run/{file}", sample=SAMPLES, file=MULTIQC_FILES),
    output:
        "results/multiqc/multiqc_report.html",
    log:
        "logs/multiqc.log",
    params:
        runs=RUNS,
        program=config["multiqc"],
    resources:
        mem_mb=config["report_mem_mb"],
        runtime=config["report_runtime"],
    shell:
        "runs=({params.runs:q}); {params.program} --force --fullnames --outdir $(dirname {output:q}) "
        "--filename $(basename {output:q}) --no-data-dir ${{runs[@]/%//virnucpro*_mqc*}} >{log:q} 2>&1"


rule samples:
    input:
        expand("results/{sample}/run/sequences.tsv", sample=SAMPLES),
    output:
        html="results/samples.html",
        tsv="results/samples.tsv",
        json="results/samples.json",
    log:
        "logs/samples.log",
    params:
        runs=RUNS,
        program=config["virnucpro"],
        controls=[f"--control={name}" for name in CONTROLS],
    resources:
        mem_mb=config["report_mem_mb"],
        runtime=config["report_runtime"],
    shell:
        "{params.program} -q report {params.runs:q} {params.controls:q} --force -o {output.html:q} >{log:q} 2>&1"
